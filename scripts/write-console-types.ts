// Writes the types of the console from the OpenAPI documents, as those of the TypeScript client are written: `tsx
// write-console-types.ts FOLDER`. They are not in git, because nobody outside of the console reads them.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { REFUSALS } from '../src/kit/contract/refusal.js'
import { type Document, readApi } from './sdk/shapes.js'
import { typescriptTypes } from './sdk/typescript-types.js'

// The console uses all of them: those of customers, operators, and the sandbox.
const DOCUMENTS = ['openapi.json', 'openapi.operator.json', 'openapi.sandbox.json']

const [folder] = process.argv.slice(2)
const documents = DOCUMENTS.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Document)
const api = readApi(documents, Object.keys(REFUSALS))
// The console is compiled with exactOptionalPropertyTypes. The client also serves programs that are not.
const types = typescriptTypes(api).replaceAll(/ \| undefined$/gm, '')
// The generator before this one left files here that no longer compile.
rmSync(folder!, { recursive: true, force: true })
mkdirSync(folder!, { recursive: true })
writeFileSync(path.join(folder!, 'types.gen.ts'), types)
