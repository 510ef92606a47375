import { readFileSync } from 'node:fs'
import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import { describe, expect, test } from '@jest/globals'

const textsOf = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`${language}.json`, import.meta.url), 'utf8')) as Record<string, string>
const [en, de] = [textsOf('en'), textsOf('de')]

function argumentsOf(elements: MessageFormatElement[]): string[] {
  const names = elements.flatMap((element) => {
    if (element.type === TYPE.literal || element.type === TYPE.pound || element.type === TYPE.tag) return []
    const inner = element.type === TYPE.plural || element.type === TYPE.select ? Object.values(element.options) : []
    return [element.value, ...inner.flatMap(({ value }) => argumentsOf(value))]
  })
  return [...new Set(names)].sort()
}

describe('German', () => {
  test('has exactly the messages of English', () => expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort()))

  test.each(Object.keys(en))('has the same placeholders in %s', (key) => {
    const namesIn = (text: string) => argumentsOf(parse(text, { ignoreTag: true }))
    expect(namesIn(de[key] ?? '')).toEqual(namesIn(en[key] ?? ''))
  })
})
