// Finds numbers that no link of a carriers file can send from, if the database is already running.

import {
  describeProblems,
  findNumberProblems,
  type NumberProblem,
} from '../../carriers/routing/unsendable-numbers.js'
import type { CarrierSettings } from '../../carriers/settings/carrier-settings.js'
import { readConfig } from '../../kit/config.js'
import { findRunningDatabase } from '../../kit/embedded/running.js'
import { BadSetting } from '../../kit/settings/setting-reader.js'
import { openCommandDatabase } from '../operator-world.js'

export interface CheckedNumbers {
  /** Empty if the database was not queried. */
  problems: { numbers?: NumberProblem[] }
  lines: string[]
}

export async function checkNumbers(
  settings: CarrierSettings,
  note: (line: string) => void,
): Promise<CheckedNumbers> {
  const config = readOr()
  const url = config && (config.databaseUrl ?? findRunningDatabase(config.dataDir))
  if (!config || url === null) return NOT_ASKED
  const { db, end } = await openCommandDatabase(config, note)
  try {
    const problems = await findNumberProblems(db.patient, settings)
    return { problems: { numbers: problems.groups }, lines: describeProblems(problems) }
  } catch (error) {
    const { code = (error as Error).message } = error as { code?: string }
    return {
      problems: {},
      lines: [`The numbers were not checked: the database returned an error (${code}).`],
    }
  } finally {
    await end()
  }
}

const NOT_ASKED: CheckedNumbers = { problems: {}, lines: [] }

/** Null without valid settings: the file can be checked on a machine that has no others. */
function readOr() {
  try {
    return readConfig()
  } catch (error) {
    if (error instanceof BadSetting) return null
    throw error
  }
}
