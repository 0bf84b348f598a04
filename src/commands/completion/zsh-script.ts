// Completion for zsh, with descriptions. It works as a file in $fpath and with `source`.

import type { CommandNode, OptionNode } from './command-tree.js'

export function zshScript(nodes: readonly CommandNode[]): string {
  const paths = nodes.map(({ path }) => path).filter((path) => path !== '')
  return `#compdef longcode
# Completion of longcode for zsh. To load it: source <(longcode completion zsh)
_longcode() {
  local at='' next previous="\${words[CURRENT-1]}" i
  local -a items values files
  local takes_file=''
  for ((i = 2; i < CURRENT; i++)); do
    next="$at\${at:+ }\${words[i]}"
    case "$next" in
      (${paths.map(quote).join('|')}) at="$next" ;;
    esac
  done
  case "$at" in
${nodes.map(zshCase).join('\n')}
  esac
  if (( \${files[(Ie)$previous]} )); then
    _files
  elif (( \${values[(Ie)$previous]} )); then
    _message 'value'
  else
    _describe 'longcode' items
    [[ -n $takes_file ]] && _files
  fi
}
if [[ "\${zsh_eval_context[-1]}" == loadautofunc ]]; then
  _longcode "$@"
else
  compdef _longcode longcode
fi
`
}

function zshCase({ path, commands, options, choices, takesFile }: CommandNode): string {
  const items = [
    ...commands.map(({ name, description }) => item(name, description)),
    ...choices.map((choice) => item(choice, choice)),
    ...options.map(({ long, description }) => item(`--${long}`, description)),
  ]
  const flags = (value: OptionNode['value']) =>
    options.filter((option) => option.value === value).map(({ long }) => `--${long}`)
  return `    (${quote(path)})
      items=(${items.join(' ')})
      values=(${flags('text').join(' ')})
      files=(${flags('file').join(' ')})
      takes_file=${takesFile ? '1' : "''"} ;;`
}

/** A colon separates the word from its description. */
function item(word: string, description: string): string {
  return quote(`${word.replaceAll(':', '\\:')}:${description}`)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
