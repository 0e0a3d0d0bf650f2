/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manual/completion.h"

static const char bash[] =
    "# bash completion of picknext, made by: picknext completion bash\n"
    "\n"
    "_picknext()\n"
    "{\n"
    "\tlocal current=${COMP_WORDS[COMP_CWORD]} before= colon= first lines\n"
    "\tlocal words=(\"${COMP_WORDS[@]:1:COMP_CWORD}\")\n"
    "\t# bash takes : for a word of its own: builtin:fifo.\n"
    "\t[[ $current != : ]] || { current=; words+=(''); }\n"
    "\tif [[ ${#words[@]} -gt 2 && ${words[-2]} == : ]]; then\n"
    "\t\tcolon=${words[-3]}:\n"
    "\t\twords=(\"${words[@]::${#words[@]}-3}\" \"$colon$current\")\n"
    "\tfi\n"
    "\tmapfile -t lines < <(\"${COMP_WORDS[0]}\" complete -- \"${words[@]}\" 2>/dev/null)\n"
    "\tlines=(\"${lines[@]%%$'\\t'*}\")\n"
    "\tCOMPREPLY=()\n"
    "\t# bash takes = for a word of its own: --option=VALUE, --option LABEL=VALUE.\n"
    "\t[[ $current != = ]] || current=\n"
    "\tif [[ ${lines[0]} == ':command '* ]]; then\n"
    "\t\tfirst=${lines[0]#* }\n"
    "\t\tif declare -F _command_offset >/dev/null; then\n"
    "\t\t\t_command_offset \"$first\"\n"
    "\t\t\treturn\n"
    "\t\tfi\n"
    "\t\tlines=(:files)\n"
    "\t\t((COMP_CWORD > first)) || mapfile -t COMPREPLY < <(compgen -c -- \"$current\")\n"
    "\tfi\n"
    "\tif [[ ${lines[0]} == :files ]]; then\n"
    "\t\tcompopt -o filenames 2>/dev/null\n"
    "\t\tmapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- \"$current\")\n"
    "\t\tunset 'lines[0]'\n"
    "\tfi\n"
    "\t[[ $current != *,* ]] || before=${current%,*},\n"
    "\tmapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -P \"$before\" -W \"${lines[*]}\" -- "
    "\"$colon${current##*,}\")\n"
    "\tCOMPREPLY=(\"${COMPREPLY[@]#\"$colon\"}\")\n"
    "}\n"
    "complete -F _picknext picknext\n";

static const char zsh[] = "#compdef picknext\n"
			  "# zsh completion of picknext, made by: picknext completion zsh\n"
			  "\n"
			  "_picknext()\n"
			  "{\n"
			  "\tlocal -a lines\n"
			  "\tlines=(\"${(@f)$($words[1] complete -- \"${(@)words[2,CURRENT]}\" 2>/dev/null)}\")\n"
			  "\tif [[ $lines[1] == ':command '* ]]; then\n"
			  "\t\tinteger first=${lines[1]#* }\n"
			  "\t\tshift $first words\n"
			  "\t\t((CURRENT -= first))\n"
			  "\t\t_normal\n"
			  "\t\treturn\n"
			  "\tfi\n"
			  "\tcompset -P '*='\n"
			  "\tif [[ $lines[1] == :files ]]; then\n"
			  "\t\t_files\n"
			  "\t\tshift lines\n"
			  "\tfi\n"
			  "\tcompset -P '*,'\n"
			  "\tlines=(\"${(@)lines//:/\\\\:}\")\n"
			  "\tlines=(\"${(@)lines/$'\\t'/:}\")\n"
			  "\t[[ -z $lines ]] || _describe picknext lines\n"
			  "}\n"
			  "\n"
			  "_picknext \"$@\"\n";

static const char fish[] = "# fish completion of picknext, made by: picknext completion fish\n"
			   "\n"
			   "function __picknext_complete\n"
			   "    set -l words (commandline -opc)\n"
			   "    set -l current (commandline -ct)\n"
			   "    set -q current[1]; or set current ''\n"
			   "    set -l lines ($words[1] complete -- $words[2..-1] $current 2>/dev/null)\n"
			   "    if string match -q ':command *' -- $lines[1]\n"
			   "        set -l first (math (string replace ':command ' '' -- $lines[1]) + 1)\n"
			   "        set -l line (string escape -- $words[$first..-1]) $current\n"
			   "        complete -C (string join ' ' -- $line)\n"
			   "        return\n"
			   "    end\n"
			   "    set -l before (string replace -r -- '[^=]*$' '' $current)\n"
			   "    if test \"$lines[1]\" = :files\n"
			   "        set -e lines[1]\n"
			   "        for path in (__fish_complete_path (string replace -r -- '^.*=' '' $current))\n"
			   "            echo $before$path\n"
			   "        end\n"
			   "    end\n"
			   "    set before (string replace -r -- '[^=,]*$' '' $current)\n"
			   "    for line in $lines\n"
			   "        echo $before$line\n"
			   "    end\n"
			   "end\n"
			   "complete -c picknext -f -a '(__picknext_complete)'\n";

const char *completion_script(const char *shell)
{
	static const struct {
		const char *name, *script;
	} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++)
		if (strcmp(shells[i].name, shell) == 0)
			return shells[i].script;
	return NULL;
}
