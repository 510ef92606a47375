import { setTimeout as sleep } from 'node:timers/promises'
import { Code, ConnectError, createClient, type Client, type Transport } from '@connectrpc/connect'
import {
  AccountsParkedEventsService,
  AccountsTransferService,
  AdminParkedEventsService,
  CallsParkedEventsService,
  MessagingParkedEventsService,
  MessagingTransferService,
  NotificationsParkedEventsService,
  RoomsParkedEventsService,
  RoomsTransferService,
  UploadsOperatorService,
  UploadsParkedEventsService,
  UploadsTransferService,
} from '@parley/contracts/internal'
import type { OperatorAccess } from '@parley/local'
import { createRpcClient } from '@parley/rpc'
import { exitCodes, Failure, unreachable } from '../failure.ts'
import { connect, nameOf } from '../operator.ts'

export type ParkedEventsClient = Client<typeof AccountsParkedEventsService>

export type TransferFleet = {
  accounts: Client<typeof AccountsTransferService>
  rooms: Client<typeof RoomsTransferService>
  messaging: Client<typeof MessagingTransferService>
  uploads: Client<typeof UploadsTransferService>
  storage: Client<typeof UploadsOperatorService>
  parkedEvents: Record<string, ParkedEventsClient>
}

const callTimeoutMs = 30_000
const retryForMs = 60_000
const maxPauseMs = 5_000

/** While a service is unavailable, unary calls are retried for up to a minute each; they are safe to repeat. */
export async function withFleet<T>(access: OperatorAccess, run: (fleet: TransferFleet) => Promise<T>): Promise<T> {
  await using bus = await connect(access)
  await using rpc = createRpcClient(bus, { name: access.natsUser, defaultTimeoutMs: callTimeoutMs })
  const transport = withRetries(rpc.transport())
  try {
    return await run({
      accounts: createClient(AccountsTransferService, transport),
      rooms: createClient(RoomsTransferService, transport),
      messaging: createClient(MessagingTransferService, transport),
      uploads: createClient(UploadsTransferService, transport),
      storage: createClient(UploadsOperatorService, transport),
      parkedEvents: {
        accounts: createClient(AccountsParkedEventsService, transport),
        admin: createClient(AdminParkedEventsService, transport),
        calls: createClient(CallsParkedEventsService, transport),
        messaging: createClient(MessagingParkedEventsService, transport),
        notifications: createClient(NotificationsParkedEventsService, transport),
        rooms: createClient(RoomsParkedEventsService, transport),
        uploads: createClient(UploadsParkedEventsService, transport),
      },
    })
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error
    const { code, rawMessage } = error
    if (isTemporary(code))
      throw unreachable(`a service is not available: ${rawMessage}; run the command again to continue`)
    throw new Failure(exitCodes.refused, nameOf(code), rawMessage, { cause: error })
  }
}

const isTemporary = (code: Code): boolean => code === Code.Unavailable || code === Code.DeadlineExceeded

function withRetries(transport: Transport): Transport {
  const unary: Transport['unary'] = async (...call) => {
    const giveUpAt = Date.now() + retryForMs
    for (let pauseMs = 200; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      try {
        return await transport.unary(...call)
      } catch (error) {
        if (!(error instanceof ConnectError) || !isTemporary(error.code) || Date.now() + pauseMs > giveUpAt) throw error
        await sleep(pauseMs)
      }
    }
  }
  return { unary, stream: (...call) => transport.stream(...call) }
}
