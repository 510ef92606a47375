import type { MemberClient } from '@parley/client'
import type { GetServerResponse, GetViewerResponse } from '@parley/client/contract'
import { openEarly } from './early-events.ts'

export type FirstAnswers = Promise<[GetViewerResponse, GetServerResponse]>

/** Requests the viewer and the server; at the same time the event stream is opened and what comes first is read. */
export function requestFirst(server: MemberClient): FirstAnswers {
  openEarly(server)
  return Promise.all([server.api.viewer.getViewer({}), server.discovery.getServer({})])
}
