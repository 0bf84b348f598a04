// Holds processes to a part of a core each, by cgroups: so a machine with two cores stands for one where each process
// has a core to itself and clients and database have others. Needs to be root, or to own the groups.

import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Short, so a process that has used its share continues within milliseconds. */
const PERIOD_US = 10_000

const ROOT = '/sys/fs/cgroup'
const OLD_ROOT = '/sys/fs/cgroup/cpu' // version 1: a tree for each kind

/** Returns what sets them free again, or null where this machine does not let us. */
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
    // a process that has ended, a group that was never made
  }
}
