// `npm run bench -- NAME`: one named, bounded run. The last line is the figure that matters.

const BENCHES = {
  accept: () => import('./accept.js'),
  pipeline: () => import('./pipeline.js'),
  batch: () => import('./batch.js'),
  list: () => import('./list.js'),
  text: () => import('./text.js'),
  webhooks: () => import('./webhooks.js'),
}

const name = process.argv[2] ?? ''
if (!isBench(name)) {
  console.error(`Which bench? One of: ${Object.keys(BENCHES).join(', ')}`)
  process.exit(2)
}

const { run } = await BENCHES[name]()
const { lines, ratio } = await run()
for (const line of lines) console.log(line)
console.log(`${name}: ${ratio.toFixed(2)}`)
process.exit(0)

function isBench(text: string): text is keyof typeof BENCHES {
  return Object.hasOwn(BENCHES, text)
}
