export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/**
 * What a shell loads to complete this program's words. The words themselves come from the program, so that a script that was
 * installed once stays right. A first line `:file` asks the shell for file names.
 */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# bash completion of mcp-proxmox; load with: source <(mcp-proxmox completion bash)
_mcp_proxmox() {
  local IFS=$'\\n' cur="\${COMP_WORDS[COMP_CWORD]}" reply
  COMPREPLY=()
  [[ $cur == '=' ]] && cur=''
  reply=$("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return
  if [[ $reply == ':file' ]]; then
    compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$cur"))
    return
  fi
  COMPREPLY=($(compgen -W "$reply" -- "$cur"))
}
complete -F _mcp_proxmox mcp-proxmox
`,
  zsh: `#compdef mcp-proxmox
# zsh completion of mcp-proxmox; load with: source <(mcp-proxmox completion zsh)
_mcp_proxmox() {
  local -a candidates
  candidates=("\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ \${candidates[1]} == ':file' ]]; then
    _files
  else
    compadd -a candidates
  fi
}
compdef _mcp_proxmox mcp-proxmox
`,
  fish: `# fish completion of mcp-proxmox; load with: mcp-proxmox completion fish | source
function __mcp_proxmox_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l reply ($before[1] __complete -- $before[2..-1] "$current" 2>/dev/null)
    if test "$reply[1]" = ':file'
        __fish_complete_path "$current"
    else
        printf '%s\\n' $reply
    end
end
complete -c mcp-proxmox -f -a '(__mcp_proxmox_complete)'
`,
};
