# SPDX-License-Identifier: GPL-2.0
#
# Completion of lifetrace's command line, for fish. The tool itself prints what could follow:
# `lifetrace complete WORD...` (user/tool/cmd/complete.c).

function __lifetrace_complete
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    set -l last (commandline --current-token --cut-at-cursor)
    set -l before (string match --regex '^--[a-z-]+=' -- $last)
    for line in ($words[1] complete $words[2..-1] "$last" 2>/dev/null)
        switch $line
            case ':command *'
                set -l first (math (string sub --start 10 -- $line) + 1)
                complete --do-complete (string escape -- $words[$first..-1] | string join ' ')" $last"
            case ':files*'
                set -l suffix (string sub --start 8 -- $line)
                set -l start (string replace -- "$before" '' $last)
                for file in $start*
                    if test -d $file
                        echo "$before$file/"
                    else if string match --quiet -- "*$suffix" $file
                        echo "$before$file"
                    end
                end
            case ':dirs'
                for dir in (__fish_complete_directories (string replace -- "$before" '' $last) '')
                    echo "$before$dir"
                end
            case '*'
                echo $line
        end
    end
end

complete --command lifetrace --no-files --arguments '(__lifetrace_complete)'
