# bash completion for doorway
_doorway() {
	local line current=${COMP_WORDS[COMP_CWORD]}
	COMPREPLY=()
	while IFS= read -r line; do
		if [[ $line == : ]]; then # nothing, and no files either
			compopt +o default +o bashdefault 2>/dev/null
		elif [[ $line == "$current"* ]]; then
			COMPREPLY+=("$line")
		fi
	done < <("${1/#\~\//$HOME/}" "${COMP_WORDS[@]:1:COMP_CWORD}" --complete-last-word 2>/dev/null)
	# What a word means follows a colon. COMP_TYPE is 63 where words are listed.
	if [[ ${COMP_TYPE-} == 63 && ${#COMPREPLY[@]} -gt 1 ]]; then
		COMPREPLY=("${COMPREPLY[@]/:/  -- }")
	else
		COMPREPLY=("${COMPREPLY[@]%%:*}")
	fi
}
complete -o bashdefault -o default -F _doorway doorway
