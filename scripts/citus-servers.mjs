// The nodes of a Citus cluster for a test run, and the template that each test clones there. A database of such a
// cluster is one database on every node with the same name, and each can be copied like any other: the
// coordinator's metadata is stored in it and does not contain its name.

const SHARDS = 4 // for two or three workers: a test has a handful of accounts, and each shard is a table

const NODES = `select nodename as host, nodeport as port, groupid = 0 as "isCoordinator"
  from pg_dist_node where noderole = 'primary' and isactive order by nodeid`

/** Of the database that the address names: [coordinator, worker, …], as addresses of databases with its name. */
export async function findNodes(ask, url) {
  const nodes = await ask(NODES)
  const workers = nodes.filter(({ isCoordinator }) => !isCoordinator)
  if (workers.length === 0) throw new Error('its database knows no workers of Citus')
  return [url, ...workers.map((worker) => withHost(url, worker))]
}

function withHost(url, { host, port }) {
  const address = new URL(url)
  address.host = `${host}:${port}`
  return address.href
}

/** Databases of one name on all nodes become one of Citus; `askAt` asks one of them. */
export async function joinNodes(askAt, urls, name) {
  await Promise.all(urls.map((url) => askAt(url, 'create extension citus')))
  const [coordinator, ...workers] = urls
  await askAt(coordinator, `alter database ${name} set citus.shard_count = ${SHARDS}`)
  await askAt(coordinator, `select citus_set_coordinator_host(${placeOf(coordinator)})`)
  for (const worker of workers) {
    await askAt(coordinator, `select citus_add_node(${placeOf(worker)})`)
  }
}

function placeOf(url) {
  const { hostname, port } = new URL(url)
  return `'${hostname}', ${port || 5432}`
}

/** What is connected to, were it by Citus itself, cannot be copied. */
export async function closeTemplate(ask, name) {
  await ask(`alter database ${name} with allow_connections false`)
  await ask(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
  )
}
