// What `longcode doctor` reports about numbers that no link of the carriers file can send from.

import { describeProblems, findNumberProblems } from '../../carriers/routing/unsendable-numbers.js'
import { readCarriersOf } from '../../carriers/settings/read-carriers.js'
import type { Config } from '../../kit/config.js'
import type { Database } from '../../kit/postgres/db.js'
import { BadSettingsFile } from '../../kit/settings-file/settings-file.js'
import { type Finding, fail, ok } from './doctor-checks.js'

const REMEDY =
  'Messages from these numbers wait and are refunded when they expire. Add a link that hosts them to the routes of their campaign, set their hosts with `longcode number hosts`, or move them to a campaign that their host carries (docs/carriers.md).'

export async function checkNumbers(
  db: Database,
  config: Pick<Config, 'carriersFile' | 'allowsSimulator' | 'publicUrl'>,
): Promise<Finding[]> {
  try {
    const settings = readCarriersOf(config)
    if (settings === null) return []
    const problems = await findNumberProblems(db.patient, settings)
    if (problems.count === 0) return [ok('hosts', 'Every number has a link that can send from it.')]
    return describeProblems(problems).map((line) => fail('hosts', line, REMEDY))
  } catch (error) {
    if (error instanceof BadSettingsFile) return [] // reported with the file
    throw error
  }
}
