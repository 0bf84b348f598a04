// The options of `npm run chaos`. All have bounds, so a run ends and loads only its own machine.

import { parseArgs } from 'node:util'

const KINDS = ['faults', 'overload', 'soak'] as const
type Kind = (typeof KINDS)[number]

export interface ChaosOptions {
  kind: Kind
  minutes: number
  /** Seed of all random choices. Timing depends on the machine, so a seed repeats the actions, not the results. */
  seed: number
  /** Messages a second that clients send while things break. */
  rate: number
  /** An empty database to use, such as one of a Citus coordinator. Null starts one. */
  database: string | null
  /** Planted faults to run instead: numbers, `all`, `random:5`, or `none`. */
  planted: string | null
}

const USAGE = `npm run chaos -- [${KINDS.join('|')}] [--minutes N] [--seed N] [--rate N] [--database URL] [--planted 07|all|random:5|none]`
const SEED_MAX = 0xffff_ffff

/** Throws an error of one sentence if an option is invalid. */
export function readOptions(args: readonly string[], anySeed: number): ChaosOptions {
  const { values, positionals } = parse(args)
  const [kind = 'faults', ...more] = positionals
  if (!isKind(kind) || more.length > 0) throw new Error(`Usage: ${USAGE}`)
  return {
    kind,
    minutes: read('minutes', values.minutes, kind === 'soak' ? 10 : 1, 0.1, 60),
    seed: Math.floor(read('seed', values.seed, anySeed, 0, SEED_MAX)),
    rate: read('rate', values.rate, 25, 1, 200),
    database: values.database ?? null,
    planted: values.planted ?? null,
  }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' as const }
  try {
    return parseArgs({
      args: [...args],
      options: { minutes: text, seed: text, rate: text, database: text, planted: text },
      allowPositionals: true,
    })
  } catch (error) {
    throw new Error(`${(error as Error).message}. Usage: ${USAGE}`)
  }
}

function isKind(text: string): text is Kind {
  return (KINDS as readonly string[]).includes(text)
}

function read(
  name: string,
  given: string | undefined,
  usual: number,
  min: number,
  max: number,
): number {
  if (given === undefined) return usual
  const value = Number(given)
  if (given.trim() !== '' && value >= min && value <= max) return value
  throw new Error(`--${name} must be a number from ${min} to ${max}, not "${given}".`)
}
