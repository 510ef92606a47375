import { expect, test } from '@jest/globals'
import { cleanDisplayName } from './clean-display-name.ts'

test.each([
  ['is kept if it is valid', 'Ada Lovelace', 'Ada Lovelace'],
  ['has spaces instead of brackets and slashes', 'Ada (she/her)', 'Ada she her'],
  ['loses symbols before the first letter or digit', '~ Ada ~', 'Ada ~'],
  ['loses invisible characters', 'A\u200bda', 'Ada'],
  ['is cut to 32 characters', 'x'.repeat(40), 'x'.repeat(32)],
  ['is null if nothing remains', '!!!', null],
])('an imported display name %s', (_, text, name) => expect(cleanDisplayName(text)).toBe(name))
