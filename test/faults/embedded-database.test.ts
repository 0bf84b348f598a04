// The embedded database under hard conditions: root, private folders, kill -9, full disks, two starts at once. Every
// test runs the real PostgreSQL. Some need root and report that if skipped.

import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { DataFolderBusy } from '../../src/kit/embedded/database.js'
import { shortenLog } from '../../src/kit/embedded/log.js'
import {
  ask,
  atEnd,
  findWatchdog,
  isAlive,
  readServerPid,
  spawnChild,
  startChild,
  startHere,
  tempDir,
  usedDataDir,
  waitForEnd,
  waitForServers,
} from './embedded-database-harness.js'
import { copyProject, IS_ROOT, NOBODY, removeLinks, replaceInitdb } from './project-copies.js'

const NEEDS_ROOT = IS_ROOT ? false : 'needs root'
const NEEDS_NOBODY = NOBODY ? false : 'needs root and a user named nobody'

for (const user of ['this user', 'an ordinary user'] as const) {
  const skip = user === 'an ordinary user' && NEEDS_NOBODY
  test(`a start as ${user} runs PostgreSQL 18, and the next start finds its data`, {
    skip,
  }, async (t) => {
    const as = user === 'this user' ? null : NOBODY
    const dataDir = tempDir(t, as)
    const first = await startChild(t, { dataDir, as })
    const server = await ask(
      first.url,
      `select current_setting('server_version_num')::int / 10000 as major,
         current_setting('fsync') as fsync, datcollate as collate,
         pg_encoding_to_char(encoding) as encoding
       from pg_database where datname = 'longcode'`,
    )
    assert.deepEqual(server, [{ major: 18, fsync: 'on', collate: 'C', encoding: 'UTF8' }])
    assert.notEqual(fs.statSync(path.join(dataDir, 'postgres')).uid, 0)
    await ask(first.url, 'create table kept as select 1 as x')
    await first.stop()
    assert.equal(isAlive(first.serverPid), false)

    const second = await startChild(t, { dataDir, as })
    assert.deepEqual(await ask(second.url, 'select x from kept'), [{ x: 1 }])
    assert.deepEqual(second.notes, [])
  })
}

test('only the owner and root can connect to the database', async (t) => {
  const { url } = await startHere(t, await usedDataDir(t))
  const socketDir = new pg.Client(url).host
  assert.ok(socketDir.length < 90, socketDir)
  assert.equal(fs.statSync(socketDir).mode & 0o777, 0o700)
  assert.deepEqual(await ask(url, 'show listen_addresses'), [{ listen_addresses: '' }])
})

test('a start as root in an ordinary user’s folder leaves the data to that user', {
  skip: NEEDS_NOBODY,
}, async (t) => {
  const parent = tempDir(t, NOBODY)
  fs.chmodSync(parent, 0o700)
  const dataDir = path.join(parent, 'data')
  const asRoot = await startHere(t, dataDir)
  await ask(asRoot.url, 'create table kept as select 1 as x')
  await asRoot.stop()

  const asOwner = await startChild(t, { dataDir, as: NOBODY })
  assert.deepEqual(await ask(asOwner.url, 'select x from kept'), [{ x: 1 }])
})

test('a start as root in a private folder puts programs and data elsewhere and reports it', {
  skip: NEEDS_ROOT,
}, async (t) => {
  const parent = tempDir(t)
  fs.chmodSync(parent, 0o700)
  const project = copyProject(path.join(parent, 'project'))
  const dataDir = path.join(project, 'data')

  const first = await startChild(t, { dataDir, project })
  const home = path.dirname(fs.readlinkSync(path.join(dataDir, 'postgres')))
  atEnd(t, () => fs.rmSync(home, { recursive: true }))
  assert.equal(first.notes.length, 2)
  assert.match(first.notes[0]!, new RegExp(`cannot enter ${parent}: .* is kept in ${home}\\.$`))
  assert.match(first.notes[1]!, /^Copied the PostgreSQL programs to /)
  await ask(first.url, 'create table kept as select 1 as x')
  await first.kill()

  const moved = path.join(parent, 'moved')
  fs.renameSync(project, moved)
  const second = await startChild(t, { dataDir: path.join(moved, 'data'), project: moved })
  assert.deepEqual(await ask(second.url, 'select x from kept'), [{ x: 1 }])
  assert.deepEqual(second.notes, [`The database of ${moved}/data is kept in ${home}.`])
  await second.stop()

  fs.renameSync(home, `${home}-away`)
  await assert.rejects(startHere(t, path.join(moved, 'data')), /leads to .*, which is not there/)
  fs.renameSync(`${home}-away`, home)
})

test('a start as root opens a root-only data folder to the database user and nobody else', {
  skip: NEEDS_ROOT,
}, async (t) => {
  const dataDir = await usedDataDir(t)
  fs.chmodSync(dataDir, 0o700)
  const notes: string[] = []
  const { url } = await startHere(t, dataDir, notes)
  assert.equal((await ask(url, 'select 1')).length, 1)
  assert.deepEqual(notes, [])
  assert.equal(fs.statSync(dataDir).mode & 0o777, 0o710)
})

test('a start reports a database that its user can no longer enter, and does not replace it', {
  skip: NEEDS_ROOT,
}, async (t) => {
  const parent = tempDir(t)
  const dataDir = path.join(parent, 'data')
  await (await startHere(t, dataDir)).stop()
  fs.chmodSync(parent, 0o700)
  await assert.rejects(startHere(t, dataDir), new RegExp(`cannot enter ${parent} any more`))
  fs.chmodSync(parent, 0o755)
  await startHere(t, dataDir)
})

test('a start creates the links that the install script did not create', async (t) => {
  const project = copyProject(path.join(tempDir(t), 'project'))
  const links = removeLinks(project)
  assert.ok(links.length > 0)
  const { url, notes } = await startChild(t, { dataDir: path.join(project, 'data'), project })
  assert.equal((await ask(url, 'select 1')).length, 1)
  assert.deepEqual(
    links.filter((link) => !fs.existsSync(link)),
    [],
  )
  assert.deepEqual(notes, [])
})

test('a start in a read-only folder without links copies the programs once per version', {
  skip: NEEDS_NOBODY,
}, async (t) => {
  const project = copyProject(path.join(tempDir(t), 'project'))
  const links = removeLinks(project)
  const start = { dataDir: tempDir(t, NOBODY), project, as: NOBODY }
  const old = path.join(start.dataDir, 'postgres-binaries-17.0.0')
  fs.mkdirSync(old)
  fs.chownSync(old, NOBODY!.uid, NOBODY!.gid)

  const first = await startChild(t, start)
  assert.match(first.notes.join(), /^Copied the PostgreSQL programs to [^,]*$/)
  assert.equal(fs.existsSync(old), false)
  assert.deepEqual(
    links.filter((link) => fs.existsSync(link)),
    [],
  )
  await first.stop()
  const second = await startChild(t, start)
  assert.deepEqual(second.notes, [])
})

test('a start killed while it creates its data folder does not block the next start', async (t) => {
  const dataDir = tempDir(t)
  const child = spawnChild(t, { dataDir })
  const drafts = () => fs.readdirSync(dataDir).filter((name) => name.includes('draft'))
  while (drafts().length === 0) await sleep(1)
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.equal(fs.existsSync(path.join(dataDir, 'postgres')), false)

  const { url } = await startHere(t, dataDir)
  assert.equal((await ask(url, 'select 1')).length, 1)
  assert.deepEqual(drafts(), [])
})

test('a folder with foreign files or another version is refused and not changed', async (t) => {
  const dataDir = tempDir(t)
  const cluster = path.join(dataDir, 'postgres')
  fs.mkdirSync(cluster)
  fs.writeFileSync(path.join(cluster, 'precious.txt'), 'keep me')
  await assert.rejects(startHere(t, dataDir), /is not a whole PostgreSQL data folder/)

  fs.mkdirSync(path.join(cluster, 'global'))
  fs.writeFileSync(path.join(cluster, 'PG_VERSION'), '15\n')
  await assert.rejects(
    startHere(t, dataDir),
    /was written by PostgreSQL 15, and this is PostgreSQL 18/,
  )
  assert.equal(fs.readFileSync(path.join(cluster, 'precious.txt'), 'utf8'), 'keep me')
})

test('kill -9 of Node shuts the database down cleanly', async (t) => {
  const dataDir = await usedDataDir(t)
  const child = await startChild(t, { dataDir })
  await child.kill()
  await waitForEnd(child.serverPid)
  assert.match(fs.readFileSync(path.join(dataDir, 'postgres.log'), 'utf8'), /is shut down\n$/)
})

test('a start takes over a database that outlived its Node process, with all committed data', async (t) => {
  const dataDir = await usedDataDir(t)
  const child = await startChild(t, { dataDir })
  await ask(child.url, 'create table kept as select 1 as x')
  process.kill(findWatchdog(dataDir), 'SIGKILL')
  await child.kill()
  assert.equal(isAlive(child.serverPid), true)

  const { url } = await startHere(t, dataDir)
  assert.equal(isAlive(child.serverPid), false)
  assert.deepEqual(await ask(url, 'select x from kept'), [{ x: 1 }])
})

for (const [what, proceed] of [
  ['leaves no server', (_: TestContext, dataDir: string) => waitForServers(dataDir)],
  ['does not block the next start', startHere],
] as const) {
  test(`kill -9 of Node while it restarts the database ${what}`, async (t) => {
    const dataDir = await usedDataDir(t)
    const onNote = 'setImmediate(() => process.kill(process.pid, "SIGKILL"))'
    const child = await startChild(t, { dataDir, onNote })
    process.kill(child.serverPid, 'SIGKILL')
    await once(child.process, 'exit')
    await proceed(t, dataDir)
  })
}

test('kill -9 of Node and database together does not block the next start', async (t) => {
  const dataDir = await usedDataDir(t)
  const child = await startChild(t, { dataDir })
  await ask(child.url, 'create table kept as select 1 as x')
  process.kill(child.serverPid, 'SIGKILL')
  await child.kill()
  const { url } = await startHere(t, dataDir)
  assert.deepEqual(await ask(url, 'select x from kept'), [{ x: 1 }])
})

test('stale files with the PID of an unrelated process neither block the start nor harm that process', async (t) => {
  const dataDir = await usedDataDir(t)
  const child = await startChild(t, { dataDir })
  // The order matters: otherwise one of them starts or stops another, and the files are not stale.
  process.kill(findWatchdog(dataDir), 'SIGKILL')
  await child.kill()
  process.kill(child.serverPid, 'SIGKILL')
  const as = fs.statSync(path.join(dataDir, 'postgres'))
  const unrelated = spawn('sleep', ['1000'], IS_ROOT ? { uid: as.uid, gid: as.gid } : {})
  atEnd(t, () => unrelated.kill())
  const pidFile = path.join(dataDir, 'postgres', 'postmaster.pid')
  const [, ...rest] = fs.readFileSync(pidFile, 'utf8').split('\n')
  fs.writeFileSync(pidFile, [unrelated.pid, ...rest].join('\n'))
  fs.writeFileSync(path.join(dataDir, 'postgres.lock'), `${unrelated.pid}\nborn some other day\n`)

  const { url } = await startHere(t, dataDir)
  assert.equal((await ask(url, 'select 1')).length, 1)
  assert.equal(isAlive(unrelated.pid!), true)
})

test('a database that is killed under a running Node process restarts at the same address', async (t) => {
  const dataDir = await usedDataDir(t)
  const notes: string[] = []
  const { url, stop } = await startHere(t, dataDir, notes)
  const killed = readServerPid(dataDir)
  process.kill(killed, 'SIGKILL')
  // Query first: between the two servers there is no PID file.
  while (!(await ask(url, 'select 1').catch(() => null)) || readServerPid(dataDir) === killed) {
    await sleep(20)
  }
  assert.deepEqual(notes, [
    'The embedded database ended unexpectedly (ended by SIGKILL); starting it again.',
  ])
  const current = readServerPid(dataDir)
  await stop()
  assert.equal(isAlive(current), false)
})

test('only one of several starts gets a data folder, and the others report that it is in use', async (t) => {
  const dataDir = tempDir(t)
  fs.writeFileSync(path.join(dataDir, 'postgres.lock'), '999999999\nlong gone\n')
  const outcomes = await Promise.allSettled([1, 2].map(() => startChild(t, { dataDir })))
  const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled')
  assert.equal(winners.length, 1)
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') {
      assert.match(
        outcome.reason.message,
        /^DataFolderBusy: The data folder \S+ is in use by .*\.$/,
      )
    }
  }
  await assert.rejects(startHere(t, dataDir), DataFolderBusy)
  assert.equal((await ask(winners[0]!.value.url, 'select 1')).length, 1)
})

test('Ctrl-C reaches only Node, which can still use the database and then stop it', async (t) => {
  const dataDir = await usedDataDir(t)
  const child = await startChild(t, {
    dataDir,
    onInterrupt: 'await query("select 1"); await stop()',
  })
  process.kill(-child.process.pid!, 'SIGINT') // the whole process group, as a terminal does
  const [status] = await once(child.process, 'exit')
  assert.equal(status, 0)
  assert.equal(isAlive(child.serverPid), false)
})

test('stop ends open transactions, can be called twice, and releases the folder', async (t) => {
  const dataDir = await usedDataDir(t)
  const { url, stop } = await startHere(t, dataDir)
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  await client.query('begin')
  const pid = readServerPid(dataDir)
  await Promise.all([stop(), stop()])
  assert.equal(isAlive(pid), false)
  assert.equal(fs.existsSync(path.join(dataDir, 'postgres.lock')), false)
})

test('a process that never calls stop can still end', async (t) => {
  const child = spawnChild(t, {
    dataDir: await usedDataDir(t),
    onStarted: 'process.stdin.destroy()',
  })
  const [status] = await once(child, 'exit')
  assert.equal(status, 0)
})

// In a root-only folder the programs are copied as well, so the disk can fill up during that copy or after it.
for (const [when, sizeMb] of [
  ['', 8],
  [' during the copy of the programs', 8],
  [' after the copy of the programs', 80],
] as const) {
  test(`a full disk${when} is reported in one sentence, and no files are left on it`, {
    skip: NEEDS_ROOT,
  }, async (t) => {
    const dataDir = tempDir(t)
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'tmpfs', dataDir])
    if (mounted.status !== 0) return t.skip('needs the right to mount')
    atEnd(t, () => execFileSync('umount', [dataDir]))
    fs.chmodSync(dataDir, 0o755)
    const parent = tempDir(t)
    if (when) fs.chmodSync(parent, 0o700)
    const project = copyProject(path.join(parent, 'project'))
    await assert.rejects(
      startChild(t, { dataDir, project }),
      /^Error: EmbeddedDatabaseFailure: The embedded database cannot use .*: the disk is full \(.*\)\.$/,
    )
    assert.deepEqual(fs.readdirSync(dataDir), [])
  })
}

test('a first start that fails in another folder leaves no files there', {
  skip: NEEDS_ROOT,
}, async (t) => {
  const parent = tempDir(t)
  const project = copyProject(path.join(parent, 'project'))
  replaceInitdb(project, 'case "$1" in --version) ;; *) echo no luck >&2; exit 1 ;; esac')
  fs.chmodSync(parent, 0o700)
  await assert.rejects(startChild(t, { dataDir: path.join(parent, 'data'), project }), /no luck$/)
  const homes = fs.readdirSync('/var/lib/longcode')
  assert.deepEqual(
    homes.filter((name) => name.startsWith(path.basename(parent))),
    [],
  )
})

test('a start reports in one sentence that the folder lacks permissions or is a file', {
  skip: NEEDS_NOBODY,
}, async (t) => {
  const dataDir = tempDir(t)
  await assert.rejects(
    startChild(t, { dataDir, as: NOBODY }),
    /^Error: EmbeddedDatabaseFailure: The embedded database cannot use .*: its permissions do not allow it \(.*\)\.$/,
  )
  const file = path.join(dataDir, 'file')
  fs.writeFileSync(file, '')
  await assert.rejects(startHere(t, file), /something in its path is not a folder/)
})

test('a start quotes the log of a server that crashes at startup', async (t) => {
  const dataDir = await usedDataDir(t)
  fs.appendFileSync(path.join(dataDir, 'postgres', 'postgresql.conf'), 'no_such_setting = 1\n')
  await assert.rejects(
    startHere(t, dataDir),
    /^Error: The embedded database did not start \(exit status 1\)\. The end of its log .*\n.*"no_such_setting"/,
  )
})

test('a start accepts a backup that root restored with open permissions', {
  skip: NEEDS_ROOT,
}, async (t) => {
  const dataDir = await usedDataDir(t)
  execFileSync('chown', ['-R', 'root', dataDir])
  fs.chmodSync(path.join(dataDir, 'postgres'), 0o755)
  const { url } = await startHere(t, dataDir)
  assert.equal((await ask(url, 'select 1')).length, 1)
})

test('the log is rotated when it exceeds its size limit', (t) => {
  const file = path.join(tempDir(t), 'postgres.log')
  const writer = fs.openSync(file, 'a')
  fs.writeSync(writer, 'x'.repeat(101))
  shortenLog(file, 100)
  fs.writeSync(writer, 'y')
  fs.closeSync(writer)
  assert.equal(fs.readFileSync(file, 'utf8'), 'y')
  assert.equal(fs.statSync(`${file}.1`).size, 101)
})
