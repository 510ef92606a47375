import type { MemberClient } from '@parley/client'
import type { GetServerResponse, GetViewerResponse } from '@parley/client/contract'
import { openEarly } from './early-events.ts'

export type FirstAnswers = Promise<[GetViewerResponse, GetServerResponse]>

/** Requests the viewer and the server, and opens the event stream at the same time. */
export function askFirst(server: MemberClient): FirstAnswers {
  openEarly(server)
  return Promise.all([server.api.viewer.getViewer({}), server.discovery.getServer({})])
}
