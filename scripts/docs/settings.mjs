// The page of settings, made from .env.example: a heading per group of settings, its defaults, and its comment.

/** Markdown for the site. */
export function settingsPage(example) {
  const [intro, ...groups] = example.trim().split(/\n{2,}/)
  const about = intro.split('\n').map((line) => line.replace(/^# ?/, ''))
  const parts = groups.flatMap(splitGroup).map(({ comment, names }) => {
    const titles = names.map(([name]) => `<a id="${name}"></a>\`${name}\``).join(', ')
    const defaults = names.map(([name, value]) => `${name}=${value}`).join('\n')
    return `## ${titles}\n\n${withCode(comment)}\n\n\`\`\`ini\n${defaults}\n\`\`\``
  })
  return `# Settings\n\n${about.join('\n')}\n\n${parts.join('\n\n')}\n`
}

/** A paragraph can have several comments, each followed by its settings. */
function splitGroup(paragraph) {
  const found = []
  let comment = []
  let names = []
  const end = () => {
    if (names.length > 0) found.push({ comment: comment.join('\n'), names })
    comment = []
    names = []
  }
  for (const line of paragraph.split('\n')) {
    const setting = /^# ([A-Z][A-Z0-9_]*)=(.*)$/.exec(line)
    if (setting) names.push([setting[1], setting[2]])
    else {
      if (names.length > 0) end()
      comment.push(line.replace(/^# ?/, ''))
    }
  }
  end()
  return found
}

/** Names of files and pages become links; settings in a sentence become code. */
function withCode(text) {
  return text
    .replaceAll(/\bdocs\/([\w-]+)\.md/g, '[$1](docs/$1.md)')
    .replaceAll(/(?<![\w`/[])((?:carriers|trunks)\.example\.yaml)/g, '[$1]($1)')
    .replaceAll(/(?<!`)\b((?:LONGCODE|OTEL|DATABASE)_[A-Z_]+(?:=\w+)?)/g, '`$1`')
}
