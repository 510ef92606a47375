import { expect, test } from '@jest/globals'
import { firstLinkIn } from './links.ts'

test.each([
  ['see https://example.org/a?b=c, then', 'https://example.org/a?b=c'],
  ['[text](https://example.org/a)', 'https://example.org/a'],
  ['<https://example.org/> and https://other.example', 'https://example.org/'],
  ['https:// https://example.org.', 'https://example.org'],
  ['mailto:a@example.org ftp://example.org', undefined],
  [`https://example.org/${'x'.repeat(2_048)}`, undefined],
])('the first link in %j is %s', (text, link) => expect(firstLinkIn(text)).toBe(link))
