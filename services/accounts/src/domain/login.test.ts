import { describe, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import { assertLogin } from './login.ts'

const roles = new Set(['owner', 'moderator'])

describe('a login', () => {
  test.each(['ab', 'a.b', 'A-1_x', '0x', 'a'.repeat(32), 'a..b'])('may be %s', (login) => {
    expect(() => assertLogin(login, roles)).not.toThrow()
  })

  test.each(['a', 'a'.repeat(33), '.ab', '-ab', '_ab', 'ab.', 'a b', 'äb', 'a@b', 'all', 'HERE', 'Owner', ''])(
    'may not be "%s"',
    (login) => {
      expect(() => assertLogin(login, roles)).toThrow(expect.objectContaining({ code: Code.InvalidArgument }))
    },
  )
})
