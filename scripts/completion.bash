# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Completion of lifetrace's commands, options and files, for bash.
#
# The help of the tool lists commands, options and formats: nothing here needs to change
# when one of them does.

# The commands that this lifetrace has.
__lifetrace_commands() {
	"$1" help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
	echo help
}

# The options of a command, those with a value with their "=".
__lifetrace_options() {
	"$1" "$2" --help 2>/dev/null | grep -E '^ +-' | grep -oE -- '--[a-z][a-z-]*=?' | sort -u
}

# The formats of the command export.
__lifetrace_formats() {
	"$1" export --help 2>/dev/null | sed -n '/^Formats:/,/^$/s/^  \([a-z][a-z0-9]*\)  .*/\1/p'
}

# __lifetrace_files CURRENT [SUFFIX] - files with that suffix, and directories
__lifetrace_files() {
	local file
	compopt -o filenames
	while IFS= read -r file; do
		if [ -d "${file/#\~/$HOME}" ] || [[ $file == *"${2-}" ]]; then
			COMPREPLY+=("$file")
		fi
	done < <(compgen -f -- "$1")
}

# __lifetrace_value OPTION CURRENT TOOL - the value of an option
__lifetrace_value() {
	case $1 in
	-o | --output | --lifetimes) __lifetrace_files "$2" ;;
	--format)
		mapfile -t COMPREPLY < <(compgen -W "$(__lifetrace_formats "$3")" -- "$2")
		;;
	--ctf)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$2")
		;;
	--clock) mapfile -t COMPREPLY < <(compgen -W 'mono raw boot counter' -- "$2") ;;
	--certainty)
		mapfile -t COMPREPLY < <(compgen -W 'exact open before bounded uncertain' -- "$2")
		;;
	esac
}

# __lifetrace_takes_value TOOL COMMAND OPTION - Return: whether its value is the next word.
__lifetrace_takes_value() {
	case $3 in
	--*) __lifetrace_options "$1" "$2" | grep -qxF -e "$3=" ;;
	-?) "$1" "$2" --help 2>/dev/null | grep -qE -- "^ +$3, --[a-z-]+=" ;;
	*) return 1 ;;
	esac
}

# Prints the index of the first word of the command to be recorded, behind "--", if the
# current word is in that command.
__lifetrace_child() {
	local i
	case ${COMP_WORDS[1]} in
	record) ;;
	lifetimes) [[ " ${COMP_WORDS[*]} " == *' --live '* ]] || return ;;
	*) return ;;
	esac
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [ "${COMP_WORDS[i]}" = -- ]; then
			echo $((i + 1))
			return
		fi
	done
}

_lifetrace() {
	local tool=${COMP_WORDS[0]} command=${COMP_WORDS[1]-} current=${COMP_WORDS[COMP_CWORD]}
	local previous=${COMP_WORDS[COMP_CWORD - 1]} child
	COMPREPLY=()
	tool=${tool/#\~/$HOME}
	if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "$command" = help ]; }; then
		mapfile -t COMPREPLY < <(compgen -W "$(__lifetrace_commands "$tool")" -- "$current")
		return
	fi
	child=$(__lifetrace_child)
	if [ -n "$child" ]; then
		if declare -F _command_offset > /dev/null; then
			_command_offset "$child"
		elif [ "$child" -eq "$COMP_CWORD" ]; then
			mapfile -t COMPREPLY < <(compgen -c -- "$current")
		else
			__lifetrace_files "$current"
		fi
		return
	fi
	# bash cuts words at "=": "--clock=mo" is three of them.
	if [ "$current" = = ]; then
		__lifetrace_value "$previous" '' "$tool"
	elif [ "$previous" = = ]; then
		__lifetrace_value "${COMP_WORDS[COMP_CWORD - 2]}" "$current" "$tool"
	elif __lifetrace_takes_value "$tool" "$command" "$previous"; then
		__lifetrace_value "$previous" "$current" "$tool"
	elif [[ $current == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(__lifetrace_options "$tool" "$command")" -- "$current")
		[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
	elif [ "$command" != record ] && [ "$command" != doctor ]; then
		__lifetrace_files "$current" .lt
	fi
}

complete -F _lifetrace lifetrace
