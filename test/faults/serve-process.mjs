// One node of the service as a process of its own, to be killed by a test. Plain JavaScript, for with
// the compiled program it needs no loader and is up in half the time.

const program = new URL(process.argv[2], import.meta.url)
const { readConfig } = await import(new URL('kit/config.js', program))
const { startService } = await import(new URL('serve.js', program))

process.once('disconnect', () => process.exit(0)) // the test has ended
const config = readConfig()
const service = await startService(config, config.databaseUrl)
const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
process.send({ address, smppPort: service.smppPort }, () => {}) // who no longer listens has ended
