// A benchmark run must not change the results of other runs or text that people wrote.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { circumstances, withResults } from './results.js'

const TEXT = `# Results

What this is.

## accept

\`\`\`
old line
accept: 0.10
\`\`\`

## batch

\`\`\`
batch: 3.00
\`\`\`

## Earlier

Said by hand, also of accept.
`

test('a run replaces the previous run of its name and leaves the rest unchanged', () => {
  const lines = ['today', 'accept: 0.50']
  const expected = TEXT.replace('old line\naccept: 0.10', lines.join('\n'))
  assert.equal(withResults(TEXT, 'accept', lines), expected)
  assert.equal(withResults(expected, 'accept', lines), expected)
})

test('the first run of a benchmark adds its section before the existing ones', () => {
  const added = '## text\n\n```\ntext: 0.76\n```\n\n'
  const [before, after] = TEXT.split(/(?=## Earlier)/)
  assert.equal(withResults(TEXT, 'text', ['text: 0.76']), before + added + after)
})

test('the very first run adds a section', () => {
  assert.equal(
    withResults('# Results\n', 'text', ['text: 0.76']),
    '# Results\n\n## text\n\n```\ntext: 0.76\n```\n',
  )
})

test('the recorded environment of a run does not identify the owner of the machine', () => {
  assert.match(
    circumstances(),
    /^\d{4}-\d\d-\d\d, commit (?:[0-9a-f]{7,}(?: with changes)?|unknown), \d+ cores, \w+ \w+, Node [\d.]+$/,
  )
})
