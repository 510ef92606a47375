import { expect, test } from '@jest/globals'
import { cleanFilename } from './upload-draft.ts'

test.each([
  ['report.txt', 'report.txt'],
  ['  my report.txt ', 'my report.txt'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\me\\a.png', 'a.png'],
  ['re\u202eport\u0007.txt', 'report.txt'],
  ['👩‍👩‍👧.png', '👩‍👩‍👧.png'],
  ['x'.repeat(255), 'x'.repeat(255)],
  ['x'.repeat(256), undefined],
  ['..', undefined],
  ['folder/', undefined],
  [' \u0000 ', undefined],
])('the file name of %j is %j', (given, name) => {
  expect(cleanFilename(given)).toBe(name)
})
