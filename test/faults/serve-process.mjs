// One node of the service in a separate process, for a test to kill. It is plain JavaScript, because the compiled
// program needs no loader and starts in half the time.

const program = new URL(process.argv[2], import.meta.url)
const { readConfig } = await import(new URL('kit/config.js', program))
const { startService } = await import(new URL('serve.js', program))

process.once('disconnect', () => process.exit(0)) // the test has ended
const config = readConfig()
const service = await startService(config, config.databaseUrl)
const address = await service.app.listen({ host: '127.0.0.1', port: 0 })
process.send({ address, smppPort: service.smppPort }, () => {}) // fails only if the test has ended
