// Completion for bash, as a function that `complete` runs. It needs no other package.

import type { CommandNode, OptionNode } from './command-tree.js'

export function bashScript(nodes: readonly CommandNode[]): string {
  const paths = nodes.map(({ path }) => path).filter((path) => path !== '')
  return `# Completion of longcode for bash. To load it: source <(longcode completion bash)
_longcode() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local at='' next words='' values='' files='' takes_file='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="$at\${at:+ }\${COMP_WORDS[i]}"
    case "$next" in
      ${paths.map(quote).join('|')}) at="$next" ;;
    esac
  done
  case "$at" in
${nodes.map(bashCase).join('\n')}
  esac
  COMPREPLY=()
  if [[ " $files " == *" $previous "* ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  elif [[ " $values " != *" $previous "* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    if [[ -n $takes_file && $current != -* ]]; then
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
  fi
}
complete -F _longcode longcode
`
}

function bashCase({ path, commands, options, choices, takesFile }: CommandNode): string {
  const flags = (isMeant: (option: OptionNode) => boolean) =>
    options
      .filter(isMeant)
      .map(({ long }) => `--${long}`)
      .join(' ')
  const names = [...commands.map(({ name }) => name), ...choices, flags(() => true)]
  return `    ${quote(path)})
      words=${quote(names.join(' '))}
      values=${quote(flags(({ value }) => value === 'text'))}
      files=${quote(flags(({ value }) => value === 'file'))}
      takes_file=${takesFile ? '1' : "''"} ;;`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
