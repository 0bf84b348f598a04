// Syntax trees of source files, from the compiler that is already installed. Its API is marked unstable, so only
// this file and type-check.ts use it.

import path from 'node:path'
import type { Node, SourceFile } from 'typescript/unstable/ast'
import { createVirtualFileSystem } from 'typescript/unstable/fs'
import { API } from 'typescript/unstable/sync'

export { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'

const ROOT = '/mutate'
const CONFIG = `${ROOT}/tsconfig.json`
// Only the shape of each file is of interest: no libraries, no imports, no types.
const OPTIONS = { noLib: true, noResolve: true, noCheck: true, types: [] }

/** The trees of these texts, by their names. */
export function parse(texts: ReadonlyMap<string, string>): Map<string, SourceFile> {
  const at = (name: string) => path.posix.join(ROOT, name)
  const files = Object.fromEntries([...texts].map(([name, text]) => [at(name), text]))
  const config = JSON.stringify({ compilerOptions: OPTIONS, files: [...texts.keys()] })
  const api = new API({ cwd: ROOT, fs: createVirtualFileSystem({ ...files, [CONFIG]: config }) })
  try {
    const program = api.updateSnapshot({ openProjects: [CONFIG] }).getProjects()[0]!.program
    return new Map([...texts.keys()].map((name) => [name, program.getSourceFile(at(name))!]))
  } finally {
    api.close()
  }
}

export function childrenOf(node: Node): Node[] {
  const children: Node[] = []
  node.forEachChild((child) => {
    children.push(child)
  })
  return children
}
