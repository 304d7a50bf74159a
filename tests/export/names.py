# SPDX-License-Identifier: GPL-2.0
"""Names as the tables of a fleet have them, from those of our JSON; and the names of these tables."""
import re
import subprocess


def table_names(tool):
    """The tables that a user may choose, as the tool lists them. The table trace is always made."""
    done = subprocess.run([tool, "export", "--tables=help"], capture_output=True, check=True, text=True)
    return [line.split()[0] for line in done.stdout.splitlines()]


def escaped(text):
    """A text of our JSON as exports have names: JSON has a bad byte as \\xHH, a backslash as two."""
    if text is None:
        return None
    text = re.sub(r"\\(\\|x[0-9a-f]{2})", lambda m: r"\x5c" if m[1] == "\\" else m[0], text)
    out = ""
    for i, char in enumerate(text):
        mine = char == "\\" and re.match(r"\\x[0-9a-f]{2}", text[i:])
        if ord(char) < 32 or 127 <= ord(char) < 160 or (char == "\\" and not mine):
            out += "".join(f"\\x{byte:02x}" for byte in char.encode())
        else:
            out += char
    return out


def site_text(site, addresses=False):
    """A call site of our JSON; an address without a symbol is a secret."""
    return "(no symbol)" if site and site.startswith("0x") and not addresses else escaped(site)


def has_calls(info):
    """Whether a trace, by the JSON of info, has system calls. Its text says what was asked for, and may not."""
    return any(stream["channel"] == "syscall" for stream in info["streams"])


def function_text(site):
    """The function of a call site: without the offset in it."""
    return re.sub(r"\+0x[0-9a-f]+", "", site_text(site) or "(unknown)")
