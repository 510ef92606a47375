import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Code, ConnectError } from '@connectrpc/connect'
import { afterEach, expect, test } from '@jest/globals'
import { newId } from '@parley/ids'
import { eventually, recordEvents } from '@parley/testkit'
import { useFleet } from './_fleet.ts'

const program = fileURLToPath(new URL('programs/messaging.ts', import.meta.url))

const fleet = useFleet({ processes: 0 })
const children: ChildProcess[] = []
afterEach(() => Promise.all(children.splice(0).map(kill)))

async function forkMessaging(...args: string[]): Promise<ChildProcess> {
  const execArgv = ['--import', import.meta.resolve('@parley/tooling/run-bundled')]
  const child = fork(program, args, { execArgv, env: { ...process.env, ...fleet.environment }, stdio: 'inherit' })
  children.push(child)
  await once(child, 'message')
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

test('a message committed before its process is killed can be fetched, and its event follows', async () => {
  const child = await forkMessaging('mute')
  const { roomId } = await fleet.room().channel(['ann'])
  await using recorded = await recordEvents(fleet.bus, `evt.room.${roomId}.>`)
  const { message } = await fleet.as('ann').messages.createMessage({ roomId, body: 'hello' })
  await kill(child)
  expect(recorded.events).toEqual([])

  await fleet.start()
  const read = await fleet.as('ann').messages.getMessage({ roomId, eventId: message?.id ?? '' })
  expect(read.message).toEqual(message)
  await fleet.untilRelayed(roomId)
  await eventually(() => recorded.events.length === 3)
  expect(recorded.events.map(({ version }) => version)).toEqual([1n, 2n, 3n])
  expect(recorded.events.at(-1)?.id).toBe(message?.id)
})

test('posts confirmed before their process is killed are announced, and a retry with the same key posts nothing twice', async () => {
  const { roomId } = await fleet.room().channel(['ann'])
  await using recorded = await recordEvents(fleet.bus, `evt.room.${roomId}.message_posted.text`)
  const ann = fleet.as('ann').messages
  const confirmed: string[] = []
  const failures = new Set<Code>()
  let isRunning = true
  const write = async () => {
    while (isRunning) {
      const headers = { 'Idempotency-Key': newId('event') }
      await eventually(async () => {
        try {
          const { message } = await ann.createMessage({ roomId, body: 'x' }, { headers, timeoutMs: 2_000 })
          confirmed.push(message?.id ?? '')
        } catch (error) {
          failures.add(ConnectError.from(error).code)
          throw error
        }
      })
    }
  }
  const writers = Array.from({ length: 8 }, write)
  try {
    for (let round = 1; round <= 2; round++) {
      const child = await forkMessaging()
      const enough = confirmed.length + 40
      await eventually(() => confirmed.length > enough)
      await kill(child)
    }
  } finally {
    isRunning = false
    await Promise.all(writers)
  }
  await fleet.untilRelayed(roomId)

  expect([Code.Unavailable, Code.DeadlineExceeded]).toEqual(expect.arrayContaining([...failures]))
  expect(new Set(confirmed).size).toBe(confirmed.length)
  // After a process was killed, its last events may be published again.
  const received = () => new Set(recorded.events.map(({ id }) => id))
  await eventually(() => expect(received()).toEqual(new Set(confirmed)))
  const stored = new Set<string>()
  let page = (await fleet.as('ann').rooms.getRoomEvents({ roomId, limit: 500 })).page
  for (;;) {
    for (const { id, event } of page?.events ?? []) if (event.case === 'messagePosted') stored.add(id)
    if (!page?.hasOlder) break
    const cursor = { case: 'before' as const, value: page.startCursor }
    page = (await fleet.as('ann').rooms.getRoomEvents({ roomId, limit: 500, cursor })).page
  }
  expect(stored).toEqual(received())
})
