# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Completion of lifetrace's command line, for bash. The tool itself prints what could follow:
# `lifetrace complete WORD...` (user/tool/cmd/complete.c).

# __lifetrace_files CURRENT SUFFIX - files with that suffix, and directories
__lifetrace_files() {
	local file
	compopt -o filenames
	while IFS= read -r file; do
		if [ -d "${file/#\~/$HOME}" ] || [[ $file == *"$2" ]]; then
			COMPREPLY+=("$file")
		fi
	done < <(compgen -f -- "$1")
}

# __lifetrace_command INDEX - the words from there on are a command line of their own.
__lifetrace_command() {
	if declare -F _command_offset > /dev/null; then
		_command_offset "$1"
	elif [ "$1" -eq "$COMP_CWORD" ]; then
		mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
	else
		__lifetrace_files "${COMP_WORDS[COMP_CWORD]}" ''
	fi
}

_lifetrace() {
	local tool=${COMP_WORDS[0]} words=() at=() i word line cut=''
	COMPREPLY=()
	tool=${tool/#\~/$HOME}
	# bash cuts words at "=" and ":": "--clock=mo" is three of them.
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [ ${#words[@]} -gt 0 ] && { [[ $word == [=:]* ]] || [[ ${COMP_WORDS[i - 1]} == [=:] ]]; }; then
			words[-1]+=$word
		else
			words+=("$word")
			at+=("$i")
		fi
	done
	# What stands before the part that bash replaces.
	[[ ${words[-1]} != *[=:]* ]] || cut=${words[-1]%"${words[-1]##*[=:]}"}
	while IFS= read -r line; do
		case $line in
		':command '*) __lifetrace_command "${at[${line#* } - 1]}" ;;
		':files'*) line=${line#:files} && __lifetrace_files "${words[-1]#"$cut"}" "${line# }" ;;
		':dirs')
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -d -- "${words[-1]#"$cut"}")
			;;
		*) COMPREPLY+=("${line#"$cut"}") ;;
		esac
	done < <("$tool" complete "${words[@]}" 2>/dev/null)
	[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
}

complete -F _lifetrace lifetrace
