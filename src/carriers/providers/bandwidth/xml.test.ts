// Reading and writing the XML of Bandwidth's dashboard, whatever it contains.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insidesOf, textOf, textsOf, writeXml } from './xml.js'

test('the texts of all elements of one name are found at any depth, in order', () => {
  const xml = '<A><Code>1</Code><B><Code>2</Code></B><Code>3</Code></A>'
  assert.deepEqual(textsOf(xml, 'Code'), ['1', '2', '3'])
  assert.equal(textOf(xml, 'Code'), '1')
  assert.equal(textOf(xml, 'Other'), null)
})

test('an element is found by its whole name, with or without attributes', () => {
  assert.deepEqual(textsOf('<Codes>1</Codes><Code2>2</Code2><xCode>3</xCode>', 'Code'), [])
  assert.deepEqual(textsOf('<Codes>1</Codes><Code>2</Code>', 'Code'), ['2'])
  assert.deepEqual(textsOf('<Code a="1">1</Code><Code >2</Code><Code\n>3</Code>', 'Code'), [
    ...['1', '2', '3'],
  ])
  assert.deepEqual(textsOf('<Code/><Code /><Code>4</Code>', 'Code').at(-1), '4')
})

test('a text is trimmed, and its entities are read once', () => {
  const text = (inside: string) => textOf(`<T>${inside}</T>`, 'T')
  assert.equal(text('  a b \n'), 'a b')
  assert.equal(
    text('&lt;a&gt; &quot;b&quot; &apos;c&apos; &amp;amp; &other;'),
    `<a> "b" 'c' &amp; &other;`,
  )
  for (const nothing of ['', '  ']) assert.equal(text(nothing), null)
})

test('an element with elements has no text, and neither has one that does not end', () => {
  assert.deepEqual(textsOf('<T><A>1</A></T>', 'T'), [])
  for (const xml of ['<T>1', '<T', '<T>1</T', '<T>1</A>', '</T>', '']) {
    assert.deepEqual(textsOf(xml, 'T'), [], xml)
    assert.deepEqual(insidesOf(xml, 'T'), [], xml)
  }
  assert.deepEqual(textsOf('<T>1</A><T>2</T>', 'T'), ['2'])
})

test('the contents of all elements of one name are found, also empty ones', () => {
  const xml = '<L><One><A>1</A></One><Ones>x</Ones><One></One><One a="b">2</One><One>cut</L>'
  assert.deepEqual(insidesOf(xml, 'One'), ['<A>1</A>', '', '2'])
  assert.deepEqual(insidesOf(xml, 'Two'), [])
})

test('what is written can be read again, and nothing in a value is an element', () => {
  const value = `<b> & "c" 'd' > e`
  const xml = writeXml({ A: { B: value, C: 7, D: { E: true } }, F: null })
  assert.equal(
    xml,
    '<A><B>&#60;b&#62; &#38; &#34;c&#34; &#39;d&#39; &#62; e</B><C>7</C><D><E>true</E></D></A><F>null</F>',
  )
  assert.equal(textOf(writeXml({ A: 'plain' }), 'A'), 'plain')
  assert.equal(writeXml({}), '')
})
