import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { fleet, frozenWithGateway } from '../src/fleet.ts'
import { newPerson, type Person, theOwner } from '../src/people.ts'
import { bothServe, frozen, processOf, wholeAgain } from '../src/processes.ts'
import { newRoom, post } from '../src/rooms.ts'
import { Socket } from '../src/socket.ts'

let owner: Person
let ada: Person
let bob: Person
beforeAll(async () => {
  ;[owner, ada, bob] = await Promise.all([theOwner(), newPerson('ada'), newPerson('bob')])
})
afterEach(wholeAgain)

const why = frozenWithGateway()
const apart = why === undefined ? test : test.skip

apart(`without admin people can chat, and a node started meanwhile serves once admin is back${why ?? ''}`, async () => {
  const roomId = await newRoom(owner, [ada, bob])
  using socket = await eventually(() => Socket.subscribed(fleet().realtimeNodes[0], bob.token))
  await socket.waitForMessage(await post(ada, roomId, 'before'))
  const killed = processOf('realtime', 1).pid
  {
    using _one = frozen(processOf('admin', 0).pid)
    using _other = frozen(processOf('admin', 1).pid)
    await socket.waitForMessage(await post(ada, roomId, 'meanwhile'))
    process.kill(killed, 'SIGKILL')
    for (let n = 0; n < 20; n++) await socket.waitForMessage(await post(ada, roomId, `meanwhile, ${n}`))
  }
  await bothServe('realtime', [killed])
  using late = await eventually(() => Socket.subscribed(fleet().realtimeNodes[1], bob.token))
  const after = await post(ada, roomId, 'after')
  await late.waitForMessage(after)
  await socket.waitForMessage(after)
  expect(socket.isClosed).toBe(false)
})
