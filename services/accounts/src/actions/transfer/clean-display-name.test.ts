import { expect, test } from '@jest/globals'
import { cleanDisplayName } from './clean-display-name.ts'

test.each([
  ['stays as it is', 'Ada Lovelace', 'Ada Lovelace'],
  ['loses brackets and slashes', 'Ada (she/her)', 'Ada she her'],
  ['begins with a letter or digit', '~ Ada ~', 'Ada ~'],
  ['loses what takes no ink', 'A\u200bda', 'Ada'],
  ['is cut', 'x'.repeat(40), 'x'.repeat(32)],
  ['is none when nothing is left', '!!!', null],
])('a display name from elsewhere %s', (_, text, name) => expect(cleanDisplayName(text)).toBe(name))
