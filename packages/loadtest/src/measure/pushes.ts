import { createECDH, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { MessageService } from '@parley/contracts/api'
import type { Fleet } from '@parley/local'
import { addCrowdMembers } from '../load/crowd.ts'
import type { HttpCaller } from '../load/http-caller.ts'
import { createRoom } from '../load/rooms.ts'
import { summarize } from '../load/timing.ts'
import { writeRows } from '../load/write-rows.ts'
import type { Report } from '../report.ts'

const pauseMs = 20
const warmUps = 10
const mentions = 100

/**
 * Measures the time from the response of a post that mentions a user until a push service receives the push. The
 * crowd must have been created.
 */
export async function measurePushes(fleet: Fleet, http: HttpCaller, report: Report): Promise<void> {
  const roomId = await createRoom(http, 'bench-pushes')
  await addCrowdMembers(fleet, roomId, 2)
  await writeRows(fleet.postgresUrl('parley_accounts'), [
    [`insert into handles (key, kind, owner_id) values ('user2', 'login', 'Ucrowd2')`, []],
  ])
  const pushService = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(201).end())
  })
  pushService.listen(0, '127.0.0.1')
  await once(pushService, 'listening')
  const { port } = pushService.address() as AddressInfo
  await subscribe(fleet, 'Ucrowd2', `127.0.0.1:${port}`)
  const took: number[] = []
  const begin = performance.now()
  try {
    for (let n = 0; n < warmUps + mentions; n++) {
      const pushed = once(pushService, 'request', { signal: AbortSignal.timeout(10_000) }).then(() => performance.now())
      const [end, start] = await Promise.all([
        pushed,
        http.call(MessageService.method.createMessage, { roomId, body: 'hello @user2' }).then(() => performance.now()),
      ])
      if (n >= warmUps) took.push(end - start)
      await sleep(pauseMs)
    }
  } finally {
    pushService.closeAllConnections()
    pushService.close()
  }
  const timing = summarize(took, (performance.now() - begin) / 1000)
  report.add('from a message to its push p50', timing.p50, 'ms')
  report.add('from a message to its push p99', timing.p99, 'ms')
}

function subscribe(fleet: Fleet, userId: string, host: string): Promise<void> {
  const keys = createECDH('prime256v1').generateKeys('base64url')
  const auth = randomBytes(16).toString('base64url')
  return writeRows(fleet.postgresUrl('parley_notifications'), [
    [
      `insert into push_subscriptions (endpoint_digest, endpoint, host, user_id, p256dh, auth, registered_at)
      values (sha256(convert_to($1, 'UTF8')), $1, $2, $3, $4, $5, now())`,
      [`http://${host}/push`, host, userId, keys, auth],
    ],
  ])
}
