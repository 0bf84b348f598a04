// `longcode completion bash|zsh|fish`: prints a script that completes commands and options in a shell.

import { Argument, type Command } from 'commander'
import { action, examples } from '../command.js'
import type { CommandNode } from './command-tree.js'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .description('print a script that completes commands and options in a shell')
    .addHelpText('after', `${examples('completion bash')}\n${HOW}`)
    .action(
      action(async (_out, shell: Shell) => {
        const { describeCommands } = await import('./command-tree.js')
        const write = await scriptOf(shell)
        process.stdout.write(write(describeCommands(program)))
      }),
    )
}

const HOW = `
bash: add \`source <(longcode completion bash)\` to ~/.bashrc
zsh:  add \`source <(longcode completion zsh)\` to ~/.zshrc, after compinit
fish: run \`longcode completion fish > ~/.config/fish/completions/longcode.fish\``

async function scriptOf(shell: Shell): Promise<(nodes: readonly CommandNode[]) => string> {
  switch (shell) {
    case 'bash':
      return (await import('./bash-script.js')).bashScript
    case 'zsh':
      return (await import('./zsh-script.js')).zshScript
    case 'fish':
      return (await import('./fish-script.js')).fishScript
  }
}
