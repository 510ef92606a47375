import type { MemberClient } from '@parley/client'
import type { GetServerResponse, GetViewerResponse } from '@parley/client/contract'
import { openEarly } from './early-events.ts'

export type FirstAnswers = Promise<[GetViewerResponse, GetServerResponse]>

/** Asks who is signed in and where, and opens the stream of events meanwhile. */
export function askFirst(server: MemberClient): FirstAnswers {
  openEarly(server)
  return Promise.all([server.api.viewer.getViewer({}), server.discovery.getServer({})])
}
