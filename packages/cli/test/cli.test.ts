import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { Code, ConnectError } from '@connectrpc/connect'
import { OperatorService } from '@parley/contracts/internal'
import { eventually } from '@parley/testkit'
import { useFakeServices } from './_fake-services.ts'
import { runParley } from './_parley.ts'

const requested: unknown[] = []

const { dataDir, nats } = useFakeServices({
  accounts: (router) => {
    router.service(OperatorService, {
      createUser(request) {
        if (/\P{ASCII}/u.test(request.login))
          throw new ConnectError(`there cannot be "${request.login}"`, Code.InvalidArgument)
        if (request.login === 'taken') throw new ConnectError('the login is taken', Code.AlreadyExists)
        requested.push({ ...request, $typeName: undefined })
        return { userId: 'U1', login: request.login, roleNames: request.roleNames }
      },
      setPassword(request) {
        requested.push({ ...request, $typeName: undefined })
        return { userId: 'U1' }
      },
      grantRole: ({ roleName }) => ({ userId: 'U1', roleNames: ['member', roleName] }),
      verifyEmail(request) {
        requested.push({ ...request, $typeName: undefined })
        return { userId: 'U1' }
      },
      listEmails: ({ login }) => ({
        userId: 'U1',
        emails: login === 'none' ? [] : [{ address: 'a@example.org', verifiedAt: { seconds: 1_900_000_000n } }],
      }),
      endSessions: ({ sessionIds }) => ({ userId: 'U1', ended: sessionIds.filter((id) => id === 'S1').length }),
      removeEmail(request) {
        requested.push({ ...request, $typeName: undefined })
        return { userId: 'U1' }
      },
    })
  },
})

function isStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`
  if (!existsSync(tasks)) return true
  return readdirSync(tasks).every((task) => / T /.test(readFileSync(join(tasks, task, 'stat'), 'utf8')))
}

type Given = { stdin?: string | Buffer; dir?: string; isTTY?: boolean }
const parley = (args: string[], given: Given = {}) => runParley(args, { dir: dataDir, ...given })

describe('commands', () => {
  test('session end reports a session that does not exist, after it has ended the other named ones', async () => {
    const end = ['session', 'end', '--login', 'alice', '--id']
    expect(await parley([...end, 'S1', 'S1'])).toEqual({ code: 0, out: '1 session of alice ended\n', err: '' })
    expect(await parley([...end, 'S1', 'S2'])).toEqual({
      ...{ code: 1, out: '1 session of alice ended\n' },
      err: expect.stringContaining('1 of the named sessions does not exist or has ended; '),
    })
    expect(await parley([...end, 'S2', 'S3'])).toMatchObject({
      err: expect.stringContaining('2 of the named sessions do not exist or have ended; '),
    })
    const { code, out, err } = await parley([...end, 'S2', '--json'])
    expect([code, JSON.parse(out)]).toEqual([1, { userId: 'U1', login: 'alice', ended: 0 }])
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'not_found' } })
  })

  test('create passes on all options, and prints JSON on request', async () => {
    const args = [
      'user',
      'create',
      '--login',
      'alice',
      '--password-stdin',
      '--email',
      'a@example.org',
      '--role',
      'admin',
      '--role',
      'owner',
      '--json',
    ]
    const { code, out } = await parley(args, { stdin: 'a secret with space \n' })
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({ userId: 'U1', login: 'alice', roleNames: ['admin', 'owner'] })
    expect(requested.at(-1)).toMatchObject({
      login: 'alice',
      password: 'a secret with space ',
      email: 'a@example.org',
      roleNames: ['admin', 'owner'],
    })
  })

  test('create prints text for people by default', async () => {
    const { out } = await parley(['user', 'create', '--login', 'bob', '--password-stdin'], { stdin: 'secret' })
    expect(out).toBe('created bob (U1)\n')
  })

  test('set-password sends the new password', async () => {
    const { code } = await parley(['user', 'set-password', '--login', 'alice', '--password-stdin'], { stdin: 'new' })
    expect(code).toBe(0)
    expect(requested.at(-1)).toMatchObject({ login: 'alice', password: 'new' })
  })

  test('grant-role prints the roles of the account', async () => {
    const { out } = await parley(['--json', 'user', 'grant-role', '--login', 'alice', '--role', 'moderator'])
    expect(JSON.parse(out)).toEqual({ userId: 'U1', login: 'alice', roleNames: ['member', 'moderator'] })
  })

  test('verify-email records the address', async () => {
    const { out } = await parley(['user', 'verify-email', '--login', 'alice', '--email', 'a@example.org'])
    expect(out).toBe('alice (U1) has the verified address a@example.org\n')
    expect(requested.at(-1)).toMatchObject({ login: 'alice', email: 'a@example.org' })
  })

  test('list-emails lists the verified addresses', async () => {
    const { out } = await parley(['user', 'list-emails', '--login', 'alice'])
    expect(out).toBe('a@example.org  since 2030-03-17T17:46:40.000Z\n')
    expect((await parley(['user', 'list-emails', '--login', 'none'])).out).toBe('none has no verified address\n')
  })

  test('remove-email removes the address', async () => {
    const { out } = await parley(['user', 'remove-email', '--login', 'alice', '--email', 'a@example.org'])
    expect(out).toBe('the address a@example.org was removed from alice (U1)\n')
    expect(requested.at(-1)).toMatchObject({ login: 'alice', email: 'a@example.org' })
  })

  test('grant-role is also accepted without "user" before it', async () => {
    const { out } = await parley(['grant-role', '--login', 'alice', '--role', 'moderator', '--json'])
    expect(JSON.parse(out)).toMatchObject({ login: 'alice' })
  })

  test('--data-dir chooses the fleet', async () => {
    const args = ['user', 'grant-role', '--login', 'alice', '--role', 'moderator', '--data-dir', dataDir]
    expect(await parley(args, { dir: '/nowhere' })).toMatchObject({ code: 0 })
  })
})

describe('failures', () => {
  test("a refusal prints the fleet's message and exits with code 1", async () => {
    const args = ['user', 'create', '--login', 'taken', '--password-stdin']
    expect(await parley(args, { stdin: 'secret' })).toEqual({ code: 1, out: '', err: 'parley: the login is taken\n' })
    const { err } = await parley([...args, '--json'], { stdin: 'secret' })
    expect(JSON.parse(err)).toEqual({ error: { code: 'already_exists', message: 'the login is taken' } })
  })

  test('terminal control sequences are not printed', async () => {
    const { err } = await parley(['user', 'create', '--login', '\u001B[2Jé\u009B1m', '--password-stdin'], {
      stdin: 'secret',
    })
    expect(err).toBe('parley: there cannot be "\uFFFD[2Jé\uFFFD1m"\n')
  })

  test('a command exits with code 3 if the bus does not answer', async () => {
    process.kill(nats().pid, 'SIGSTOP')
    await eventually(() => isStopped(nats().pid))
    const answer = await parley(['user', 'grant-role', '--login', 'a', '--role', 'b']).finally(() =>
      process.kill(nats().pid, 'SIGCONT'),
    )
    expect(answer).toMatchObject({ code: 3, out: '', err: expect.stringContaining('is the fleet still running?') })
    // While the bus was down, accounts may have lost its connection.
    await eventually(async () =>
      expect(await parley(['user', 'grant-role', '--login', 'a', '--role', 'b'])).toMatchObject({ code: 0 }),
    )
  })

  test('a command exits with code 3 without a fleet, and says how to start one', async () => {
    const { code, err } = await parley(['user', 'grant-role', '--login', 'a', '--role', 'b'], { dir: '/nowhere' })
    expect(code).toBe(3)
    expect(err).toMatch(/no fleet runs on \/nowhere.*make run/)
  })

  test.each(['create', 'remove'])('demo %s says how to choose the data folder if it does not exist', async (which) => {
    const { code, err } = await parley(['demo', which], { dir: '/nowhere' })
    expect([code, err]).toEqual([3, expect.stringMatching(/no fleet runs on \/nowhere.*PARLEY_DATA_DIR/)])
  })

  test('a damaged operator.json is reported', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'parley-cli-'))
    mkdirSync(join(dir, 'run'))
    writeFileSync(join(dir, 'run/operator.json'), '{"natsUrl": 1}')
    chmodSync(join(dir, 'run/operator.json'), 0o600)
    const { code, err } = await parley(['user', 'grant-role', '--login', 'a', '--role', 'b'], { dir })
    expect([code, err]).toEqual([3, expect.stringContaining('is damaged')])
    rmSync(dir, { recursive: true })
  })

  test.each([
    [['user', 'create', '--login', 'a'], 'add --password-stdin'],
    [['user', 'create', '--password-stdin'], '--login'],
    [['user', 'grant-role', '--login', 'a'], '--role'],
    [['user', 'rename'], 'unknown command'],
    [['session', 'end', '--login', 'a'], 'choose sessions with --id, or use --all'],
    [['session', 'end', '--login', 'a', '--id', 'S1', '--all'], 'choose sessions with --id, or use --all'],
    [['config', 'nobody'], 'there is no service nobody'],
    [['secret', 'rotate'], "argument 'name'"],
    [['user', 'create', '--login', 'a', '--password', 'secret'], 'unknown option'],
  ])('%j is a usage error and exits with code 2', async (args, message) => {
    const { code, err } = await parley(args)
    expect(code).toBe(2)
    expect(err).toContain(message)
  })

  test.each([
    ['an empty line', '\n', false, 'standard input contains no password'],
    ['two lines', 'one\ntwo\n', false, 'several lines'],
    ['a line followed by an empty line', 'one\n\n', false, 'several lines'],
    ['text that is not UTF-8', Buffer.from('passwörter', 'latin1'), false, 'not UTF-8'],
    ['a whole file', 'x'.repeat(5000), false, 'longer than a password can be'],
    ['input from a terminal', 'secret', true, 'would show the password'],
  ])('%s is refused as a password', async (_, stdin, isTTY, message) => {
    const before = requested.length
    const { code, err } = await parley(['user', 'create', '--login', 'a', '--password-stdin'], { stdin, isTTY })
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
    expect(requested).toHaveLength(before)
  })

  test.each([['a password\n'], ['a password\r\n'], ['a password'], ['\uFEFFa password\r\n']])(
    'the line end and a byte order mark are not part of the password: %j',
    async (stdin) => {
      await parley(['user', 'set-password', '--login', 'a', '--password-stdin'], { stdin })
      expect(requested.at(-1)).toMatchObject({ password: 'a password' })
    },
  )

  test.each([
    [['user', 'rename', '--json'], "unknown command 'rename'"],
    [['--json', 'user', 'create', '--password-stdin'], "required option '--login <login>' not specified"],
    [['user', '--json'], 'missing command'],
    [['session', 'list', '--login', 'a', '--data-dir', '', '--json'], '--data-dir needs a folder'],
  ])('%j: a usage error is printed as JSON as well', async (args, message) => {
    const { code, out, err } = await parley(args)
    expect([code, out]).toEqual([2, ''])
    expect(JSON.parse(err)).toEqual({ error: { code: 'usage', message: expect.stringContaining(message) } })
  })

  test.each([
    ['secrets.json', ['config', 'accounts'], 3],
    ['secrets.json', ['session', 'list', '--login', 'a', '--direct'], 3],
    ['secrets.json', ['secret', 'list'], 1],
    ['run/ports.json', ['config', 'accounts'], 3],
  ])('a damaged %s is reported: %j', async (file, args, exitCode) => {
    const dir = mkdtempSync(join(tmpdir(), 'parley-cli-'))
    mkdirSync(join(dir, 'run'))
    writeFileSync(join(dir, 'run/ports.json'), '{}')
    writeFileSync(join(dir, 'secrets.json'), '{}')
    writeFileSync(join(dir, file), '{"core": "half of')
    const { code, out, err } = await parley([...args, '--json'], { dir })
    rmSync(dir, { recursive: true })
    expect([code, out]).toEqual([exitCode, ''])
    expect(JSON.parse(err)).toMatchObject({ error: { message: `${join(dir, file)} is damaged` } })
  })
})

describe('without a fleet', () => {
  test('new keys for push notifications are generated each time', async () => {
    const generate = async (): Promise<unknown> =>
      JSON.parse((await parley(['vapid', 'generate', '--json'], { dir: '/nowhere' })).out)
    const keys = await generate()
    expect(keys).toEqual({
      publicKey: expect.stringMatching(/^[\w-]{87}$/),
      privateKey: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(await generate()).not.toEqual(keys)
    expect((await parley(['vapid', 'generate'])).out).toMatch(
      /^PARLEY_PUSH_VAPID_PUBLIC_KEY=\S+\nPARLEY_PUSH_VAPID_PRIVATE_KEY=/,
    )
  })

  test('secrets are listed, rotated and retired', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'parley-cli-'))
    expect((await parley(['secret', 'list'], { dir })).err).toContain('no fleet has ever run')
    writeFileSync(join(dir, 'secrets.json'), JSON.stringify({ core: 'the first' }))
    const secrets = () => JSON.parse(readFileSync(join(dir, 'secrets.json'), 'utf8')) as Record<string, string>
    expect(await parley(['secret', 'rotate', 'core'], { dir })).toMatchObject({ code: 0 })
    expect(secrets()).toEqual({ core: expect.not.stringContaining('first'), 'core.previous': 'the first' })
    expect((await parley(['secret', 'list'], { dir })).out).toContain(
      'core  PARLEY_CORE_SECRET_KEY  (the previous value',
    )
    expect(await parley(['secret', 'rotate', 'core'], { dir })).toMatchObject({ code: 1, out: '' })
    expect(await parley(['secret', 'retire', 'core'], { dir })).toMatchObject({ code: 0 })
    expect(Object.keys(secrets())).toEqual(['core'])
    rmSync(dir, { recursive: true })
  })

  test('--direct without databases exits with code 3 and says which variable to set', async () => {
    const { code, err } = await parley(['session', 'list', '--login', 'a', '--direct'], { dir: '/nowhere' })
    expect(code).toBe(3)
    expect(err).toMatch(/no fleet has run on \/nowhere; set PARLEY_ACCOUNTS_DATABASE_URL/)
  })
})

test('--help shows examples', async () => {
  const { code, out } = await parley(['--help'])
  expect(code).toBe(0)
  expect(out).toContain('./pnpm parley user create --login alice --password-stdin')
})

test.each([[['export']], [['import', 'slack']], [['import', 'parley']]])(
  '%s does not offer --direct',
  async (words) => {
    const { out } = await parley([...words, '--help'])
    expect(out).toContain('--data-dir')
    expect(out).not.toMatch(/^ +--direct /m)
    const file = words.length > 1 ? [join(dataDir, 'nothing')] : []
    expect(await parley([...words, ...file, '--direct'])).toMatchObject({ out: '' })
  },
)
