// The declared commands as plain data, from which completion scripts are written: nothing is listed twice.

import type { Command, Option } from 'commander'

export interface CommandNode {
  /** The words after `longcode`, such as `account create`; empty for the program itself. */
  path: string
  /** Subcommands. */
  commands: { name: string; description: string }[]
  options: OptionNode[]
  /** Values of the first argument, if they are fixed. */
  choices: readonly string[]
  /** An argument is the name of a file. */
  takesFile: boolean
}

export interface OptionNode {
  /** Without dashes. */
  long: string
  description: string
  value: 'none' | 'text' | 'file'
}

export function describeCommands(command: Command, path = ''): CommandNode[] {
  const inner = command.commands.filter((one) => one.name() !== 'help')
  const help = inner.length > 0 ? [{ name: 'help', description: 'show help for a command' }] : []
  const node: CommandNode = {
    path,
    commands: [
      ...inner.map((one) => ({ name: one.name(), description: one.description() })),
      ...help,
    ],
    options: optionsOf(command),
    choices: command.registeredArguments[0]?.argChoices ?? [],
    takesFile: command.registeredArguments.some((argument) => argument.name() === 'file'),
  }
  const below = inner.flatMap((one) => describeCommands(one, `${path} ${one.name()}`.trim()))
  return [node, ...below]
}

/** Its own, and those that every command has. */
function optionsOf(command: Command): OptionNode[] {
  const inherited = command.parent ? rootOf(command).options.filter(isShared) : []
  const help = { long: 'help', description: 'show help', value: 'none' } as const
  return [...[...command.options, ...inherited].map(optionNode), help]
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command
}

function isShared(option: Option): boolean {
  return option.long !== '--version'
}

function optionNode({ long, description, required, flags }: Option): OptionNode {
  const value = flags.endsWith('<file>') ? 'file' : required ? 'text' : 'none'
  return { long: long!.replace(/^--/, ''), description, value }
}
