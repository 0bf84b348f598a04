// The bugs to try: small changes of the kind that people make, found in the syntax tree. Changes that only the
// compiler or nobody would notice are left out: types, imports, descriptions.

import { type Change, type Mutant, toMutants } from './mutant.js'
import { childrenOf, type Node, type SourceFile, SyntaxKind } from './parse.js'
import { changeSql } from './sql-operators.js'

const OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '+=': '-=',
  '-=': '+=',
}

const METHODS: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
}

const SKIPPED = new Set<SyntaxKind>([
  SyntaxKind.ImportDeclaration,
  SyntaxKind.ExportDeclaration,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
])
/** Properties that are there to be read by people. */
const FOR_PEOPLE = new Set([
  ...['description', 'summary', 'title', 'example', 'examples'],
  ...['label', 'help', 'placeholder', 'question'], // of a form
])
/** Nobody notices whether a loop rests for 300 or 301 milliseconds. */
const DURATION = /ms(?:_?m(?:ax|in))?$/i
const DURATION_MIN = 100
/** The text of a line in the log, too. */
const LOG_CALL = /(?:^|\.)log\.(?:debug|info|warn|error)$/
const SQL_TAGS = new Set(['sql', 'part', 'raw'])
const STRING_LITERAL_CHARS_MAX = 200

/** All mutants of a file, in the order of its text. */
export function findMutants(file: string, tree: SourceFile): Mutant[] {
  const changes: Change[] = []
  const visit = (node: Node): void => {
    if (isSkipped(node, tree)) return
    changes.push(...changesOf(node, tree))
    for (const child of childrenOf(node)) visit(child)
  }
  for (const statement of childrenOf(tree)) visit(statement)
  return toMutants(file, tree.text, changes)
}

function isSkipped(node: Node, tree: SourceFile): boolean {
  if (SKIPPED.has(node.kind) || isType(node)) return true
  const name = node.kind === SyntaxKind.PropertyAssignment && childrenOf(node)[0]
  return name ? FOR_PEOPLE.has(textOf(name, tree)) : false
}

function isType(node: Node): boolean {
  return node.kind >= SyntaxKind.FirstTypeNode && node.kind <= SyntaxKind.LastTypeNode
}

function changesOf(node: Node, tree: SourceFile): Change[] {
  const text = textOf(node, tree)
  const replace = (replacement: string): Change[] => [
    { start: node.getStart(tree), end: node.end, replacement },
  ]
  switch (node.kind) {
    case SyntaxKind.BinaryExpression:
      return changeOperator(node, tree)
    case SyntaxKind.PrefixUnaryExpression:
      return text.startsWith('!') ? replace(text.slice(1)) : []
    case SyntaxKind.TrueKeyword:
      return replace('false')
    case SyntaxKind.FalseKeyword:
      return replace('true')
    case SyntaxKind.NumericLiteral:
      return changeNumber(node, tree, Number(text.replaceAll('_', '')), replace)
    case SyntaxKind.BigIntLiteral:
      return replace(`${BigInt(text.slice(0, -1).replaceAll('_', '')) + 1n}n`)
    case SyntaxKind.StringLiteral:
      return changeString(node, tree, text, replace)
    case SyntaxKind.IfStatement:
    case SyntaxKind.ConditionalExpression:
      return changeCondition(childrenOf(node)[0]!, tree)
    case SyntaxKind.ReturnStatement:
      return text.startsWith('return ') ? replace('return undefined') : []
    case SyntaxKind.ExpressionStatement:
      return replace('{}')
    case SyntaxKind.ThrowStatement:
      return replace('{}')
    case SyntaxKind.PropertyAccessExpression:
      return changeMethod(node, tree)
    case SyntaxKind.TaggedTemplateExpression:
      return changeTemplate(node, tree)
    default:
      return []
  }
}

function changeOperator(node: Node, tree: SourceFile): Change[] {
  const [left, operator, right] = childrenOf(node) as [Node, Node, Node]
  const sign = textOf(operator, tree)
  const replacement = OPERATORS[sign]
  const isText = [left, right].some((side) => /^['"`]/.test(textOf(side, tree)))
  if (!replacement || (sign === '+' && isText)) return []
  return [{ start: operator.getStart(tree), end: operator.end, replacement }]
}

function changeNumber(
  { parent }: Node,
  tree: SourceFile,
  value: number,
  replace: (by: string) => Change[],
): Change[] {
  const isNamed = [SyntaxKind.VariableDeclaration, SyntaxKind.PropertyAssignment].includes(
    parent.kind,
  )
  const isDuration = isNamed && DURATION.test(textOf(childrenOf(parent)[0]!, tree))
  return isDuration && value >= DURATION_MIN ? [] : replace(String(value + 1))
}

function changeString(
  node: Node,
  tree: SourceFile,
  text: string,
  replace: (by: string) => Change[],
): Change[] {
  const { parent } = node
  const isKey = parent.kind === SyntaxKind.PropertyAssignment && childrenOf(parent)[0] === node
  const isType = parent.kind === SyntaxKind.LiteralType
  const isLogged =
    parent.kind === SyntaxKind.CallExpression && LOG_CALL.test(textOf(childrenOf(parent)[0]!, tree))
  if (isKey || isType || isLogged || text.length > STRING_LITERAL_CHARS_MAX) return []
  return replace(text.length > 2 ? "''" : "'mutant'")
}

function changeCondition(condition: Node, tree: SourceFile): Change[] {
  const start = condition.getStart(tree)
  const { end } = condition
  return ['true', 'false'].map((replacement) => ({ start, end, replacement }))
}

function changeMethod(node: Node, tree: SourceFile): Change[] {
  const name = childrenOf(node).at(-1)!
  const word = textOf(name, tree)
  const replacement = Object.hasOwn(METHODS, word) ? METHODS[word]! : null
  const isCalled = node.parent.kind === SyntaxKind.CallExpression
  if (replacement === null || !isCalled) return []
  return [{ start: name.getStart(tree), end: name.end, replacement }]
}

function changeTemplate(node: Node, tree: SourceFile): Change[] {
  const children = childrenOf(node)
  const template = children.at(-1)!
  if (!SQL_TAGS.has(textOf(children[0]!, tree))) return []
  const start = template.getStart(tree) + 1
  return changeSql(tree.text.slice(start, template.end - 1), start)
}

function textOf(node: Node, tree: SourceFile): string {
  return tree.text.slice(node.getStart(tree), node.end)
}
