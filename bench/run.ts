// `npm run bench -- NAME`: one named, bounded run. The last line is the figure that matters.

const NAMES = ['accept', 'pipeline', 'batch', 'list', 'text', 'webhooks'] as const

const name = NAMES.find((known) => known === process.argv[2])
if (!name) {
  console.error(`Which bench? One of: ${NAMES.join(', ')}`)
  process.exit(2)
}

const { run } = (await import(`./${name}.js`)) as {
  run: () => Promise<{ lines: string[]; ratio: number }>
}
const { lines, ratio } = await run()
for (const line of lines) console.log(line)
console.log(`${name}: ${ratio.toFixed(2)}`)
process.exit(0)
