// SPDX-License-Identifier: GPL-2.0
/*
 * The character device: the module's files by another name, for kernels that are locked down
 * and so close debugfs. See uapi/lifetrace_device.h.
 *
 * A file that is opened through the device has an inode of no file system, and the
 * operations that it has under debugfs; it keeps the module loaded.
 */
#include <linux/anon_inodes.h>
#include <linux/cpumask.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "uapi/lifetrace_device.h"
#include "session/channels.h"
#include "session/control.h"

static const struct lt_control_file *find_control(const char *name)
{
	const struct lt_control_file *f;

	for (f = lt_control_files; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

/* CHANNEL/cpuN. Return: the channel with @cpu set, or NULL. */
static struct lt_channel *find_packets(const char *name, unsigned int *cpu)
{
	unsigned int i;

	for_each_channel(i) {
		size_t len = strlen(lt_channels[i].name);

		if (strncmp(name, lt_channels[i].name, len) || strncmp(name + len, "/cpu", 4))
			continue;
		if (kstrtouint(name + len + 4, 10, cpu) || *cpu >= nr_cpu_ids ||
		    !cpu_possible(*cpu))
			return NULL;
		return lt_channels[i].channel;
	}
	return NULL;
}

static int open_control(const struct lt_control_file *f, struct file *file)
{
	/* A position, which files of anonymous inodes do not have by themselves. */
	file->f_mode |= FMODE_LSEEK | FMODE_PREAD | FMODE_PWRITE;
	return f->fops->open(file_inode(file), file);
}

static int access_of(umode_t mode)
{
	if (!(mode & 0200))
		return O_RDONLY;
	return mode & 0400 ? O_RDWR : O_WRONLY;
}

/* Return: a descriptor, or an errno. */
static int open_by_name(const struct file *device, const char *name)
{
	const struct lt_control_file *f = find_control(name);
	umode_t mode = f ? f->mode : 0400;
	struct lt_channel *ch = NULL;
	struct file *file;
	unsigned int cpu;
	char title[80];
	int fd, err;

	if (!f) {
		ch = find_packets(name, &cpu);
		if (!ch)
			return -ENOENT;
	}
	if (mode & 0200 && !(device->f_mode & FMODE_WRITE))
		return -EACCES;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	/* The name appears in /proc/PID/fd: so the owner of the session can be found. */
	snprintf(title, sizeof(title), "[" LT_DEVICE_NAME ":%s]", name);
	file = anon_inode_getfile(title, f ? f->fops : &lt_packet_fops, NULL, access_of(mode));
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	err = f ? open_control(f, file) : lt_packets_open(ch, cpu, file);
	if (err) {
		fput(file);
		put_unused_fd(fd);
		return err;
	}
	fd_install(fd, file);
	return fd;
}

static long device_ioctl(struct file *file, unsigned int command, unsigned long arg)
{
	struct lt_device_open open;

	if (command != LT_DEVICE_OPEN)
		return -ENOTTY;
	if (copy_from_user(&open, (void __user *)arg, sizeof(open)))
		return -EFAULT;
	if (!memchr(open.name, 0, sizeof(open.name)))
		return -ENAMETOOLONG;
	return open_by_name(file, open.name);
}

/* The names of all files. Those of packets come and go with sessions and CPUs. */
static int list_show(struct seq_file *m, void *unused)
{
	const struct lt_control_file *f;
	unsigned int i, cpu;

	for (f = lt_control_files; f->name; f++)
		seq_printf(m, "%s\n", f->name);
	for_each_channel(i)
		for_each_possible_cpu(cpu)
			if (lt_packets_exist(lt_channels[i].channel, cpu))
				seq_printf(m, "%s/cpu%u\n", lt_channels[i].name, cpu);
	return 0;
}

static int device_open(struct inode *inode, struct file *file)
{
	int err = security_locked_down(LOCKDOWN_TRACEFS);

	file->private_data = NULL;	/* of the misc devices */
	return err ?: single_open(file, list_show, NULL);
}

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.open = device_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = LT_DEVICE_NAME,
	.fops = &device_fops,
	.mode = 0600,
};

/**
 * lt_device_init() - make the device
 *
 * It can be opened from then on: the module must not fail to load any more.
 *
 * Context: process, sleeps; loading.
 * Return: 0 or an errno.
 */
int lt_device_init(void)
{
	int err = misc_register(&device);

	if (err)
		pr_notice("lifetrace: no /dev/" LT_DEVICE_NAME ": error %d\n", err);
	device.this_device = err ? NULL : device.this_device;
	return err;
}

/* Context: process, sleeps; unloading, so no file is open. */
void lt_device_exit(void)
{
	if (device.this_device)
		misc_deregister(&device);
}
