// What every command uses: its action, its examples, and access to the database. Modules are loaded when a command
// runs, so help and small commands start fast.

import type { Command } from 'commander'
import { findTime } from '../kit/contract/find-time.js'
import { UsageFailure } from './failure.js'
import type { OperatorWorld } from './operator-world.js'
import { createOutput, type Output } from './output.js'

/** Arguments first, then the options, in commander's order. */
// biome-ignore lint/suspicious/noExplicitAny: commander knows the arguments by their text only
export function action(work: (out: Output, ...args: any[]) => Promise<void>) {
  return async (...args: unknown[]): Promise<void> => {
    const command = args.at(-1) as Command
    const isJson = command.optsWithGlobals().json === true
    await work(createOutput(isJson), ...args.slice(0, -1))
  }
}

export function examples(...lines: readonly string[]): string {
  const title = lines.length === 1 ? 'Example:' : 'Examples:'
  return `\n${title}\n${lines.map((line) => `  $ longcode ${line}`).join('\n')}`
}

/** The group of commands with this name, such as `brand`: customers and operators share groups. */
export function groupOf(program: Command, name: string, description: string): Command {
  const group = program.commands.find((command) => command.name() === name)
  return group ?? program.command(name).description(description)
}

/** Runs the work on the database of the service. */
export async function operate<T>(
  out: Output,
  work: (operator: OperatorWorld) => Promise<T>,
): Promise<T> {
  const { withOperatorWorld } = await import('./operator-world.js')
  return withOperatorWorld(out.note, work)
}

/** The account given, or the only one that exists. */
export async function chooseAccount(
  { world }: OperatorWorld,
  accountOption: string | undefined,
): Promise<string> {
  const { getAccount, listAccounts } = await import('../accounts/account-queries.js')
  if (accountOption !== undefined) return (await getAccount(world.db, accountOption)).accountId
  const found = await listAccounts(
    world.db,
    { status: null, search: null },
    { limit: 1, skip: 0, after: null },
  )
  if (found.length === 1) return found[0]!.accountId
  throw new UsageFailure(
    found.length === 0
      ? 'There is no account yet. Create one with `longcode account create`.'
      : 'There are several accounts. Name one: `longcode account list` shows them.',
  )
}

/** A whole number of at least `min`, from an option. */
export function readWhole(
  name: string,
  text: string,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= min && number <= max) return number
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`
  throw new UsageFailure(`${name} must be a whole number, ${range}, not "${text}".`)
}

export function readTimeOption(name: string, text: string | undefined): Date | null {
  if (text === undefined) return null
  const moment = findTime(text) ?? findTime(`${text}T00:00:00Z`) // a date means midnight UTC
  if (moment) return moment
  throw new UsageFailure(`${name} must be a time such as 2027-01-01T00:00:00Z, not "${text}".`)
}

/** For options that can be repeated. */
export function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value]
}
