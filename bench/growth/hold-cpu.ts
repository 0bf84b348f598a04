// Limits each process to a part of a core with cgroups. So a machine with two cores can represent one where each
// process has its own core, and clients and database have others. Needs root, or ownership of the cgroups.

import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Short, so a process that has used its share continues within milliseconds. */
const PERIOD_US = 10_000

const ROOT = '/sys/fs/cgroup'
const OLD_ROOT = '/sys/fs/cgroup/cpu' // version 1: a tree per controller

/** Returns a function that lifts the limit, or null if this machine does not allow it. */
export function holdCpu(pids: readonly number[], share: number): (() => void) | null {
  const isOld = existsSync(path.join(OLD_ROOT, 'cpu.cfs_quota_us'))
  const root = isOld ? OLD_ROOT : ROOT
  const folders = pids.map((pid) => path.join(root, `longcode-bench-${pid}`))
  const free = () => {
    for (const pid of pids) tryTo(() => writeFileSync(path.join(root, 'cgroup.procs'), String(pid)))
    for (const folder of folders) tryTo(() => rmdirSync(folder))
  }
  try {
    if (!isOld) writeFileSync(path.join(root, 'cgroup.subtree_control'), '+cpu')
    for (const [i, folder] of folders.entries()) {
      mkdirSync(folder)
      for (const [file, value] of Object.entries(isOld ? oldLimits(share) : limits(share))) {
        writeFileSync(path.join(folder, file), value)
      }
      writeFileSync(path.join(folder, 'cgroup.procs'), String(pids[i]))
    }
    return free
  } catch {
    free()
    return null
  }
}

const quotaUs = (share: number) => Math.round(share * PERIOD_US)

function limits(share: number): Record<string, string> {
  return { 'cpu.max': `${quotaUs(share)} ${PERIOD_US}` }
}

function oldLimits(share: number): Record<string, string> {
  return { 'cpu.cfs_period_us': String(PERIOD_US), 'cpu.cfs_quota_us': String(quotaUs(share)) }
}

function tryTo(step: () => void): void {
  try {
    step()
  } catch {
    // the process has ended, or the group was never created
  }
}
