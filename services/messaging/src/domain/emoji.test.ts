import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { assertEmoji } from './emoji.ts'

test.each(['+1', '-1', 'thumbsup', 'e-mail', '1st_place_medal'])('%s is a shortcode', (shortcode) =>
  expect(() => assertEmoji(shortcode)).not.toThrow(),
)

test.each(['', ':thumbsup:', 'Thumbsup', '👍', 'not_an_emoji', 'constructor', '__proto__', 'toString'])(
  '%j is not a shortcode',
  (text) =>
    expect(() => assertEmoji(text)).toThrow(
      expect.objectContaining({ code: Code.InvalidArgument, rawMessage: expect.stringContaining('emoji') }),
    ),
)
