#compdef lifetrace
# SPDX-License-Identifier: GPL-2.0
#
# Completion of lifetrace's command line, for zsh. The tool itself prints what could follow:
# `lifetrace complete WORD...` (user/tool/cmd/complete.c).

local -a lines plain open
local line
lines=("${(@f)$("${(Q)words[1]}" complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
for line in $lines; do
	case $line in
	':command '*)
		local first=${line#* }
		words=("${(@)words[first + 1,-1]}")
		(( CURRENT -= first ))
		_normal
		return
		;;
	':files'*) compset -P '*='; _files -g "*${${line#:files}# }" ;;
	':dirs') compset -P '*='; _files -/ ;;
	*=) open+=("$line") ;;
	*) plain+=("$line") ;;
	esac
done
(( ! $#open )) || compadd -S '' -a open
(( ! $#plain )) || compadd -a plain
