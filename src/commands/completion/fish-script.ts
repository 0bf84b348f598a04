// Completion for fish, with descriptions: one line per command and option.

import type { CommandNode, OptionNode } from './command-tree.js'

export function fishScript(nodes: readonly CommandNode[]): string {
  const paths = nodes.map(({ path }) => path).filter((path) => path !== '')
  return `# Completion of longcode for fish. To load it: longcode completion fish | source
set -g __longcode_paths ${paths.map(quote).join(' ')}
function __longcode_at
    set -l at
    for word in (commandline -opc)[2..]
        set -l next (string trim -- "$at $word")
        contains -- $next $__longcode_paths; and set at $next
    end
    test "$at" = "$argv[1]"
end
complete -c longcode -e
complete -c longcode -f
${nodes.flatMap(linesOf).join('\n')}
`
}

function linesOf({ path, commands, options, choices, takesFile }: CommandNode): string[] {
  const start = `complete -c longcode -n ${quote(`__longcode_at ${quote(path)}`)}`
  return [
    ...commands.map(({ name, description }) => `${start} -a ${name} -d ${quote(description)}`),
    ...choices.map((choice) => `${start} -a ${choice}`),
    ...options.map((option) => `${start} ${optionOf(option)}`),
    ...(takesFile ? [`${start} -F`] : []),
  ]
}

function optionOf({ long, description, value }: OptionNode): string {
  const takes = { none: '', text: ' -x', file: ' -r -F' }[value]
  return `-l ${long}${takes} -d ${quote(description)}`
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
