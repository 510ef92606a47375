import type { MemberClient } from '@parley/client'
import type { GetServerResponse, GetViewerResponse } from '@parley/client/contract'
import { openEarly } from './early-events.ts'

export type FirstResponses = Promise<[GetViewerResponse, GetServerResponse]>

export function requestFirst(server: MemberClient): FirstResponses {
  openEarly(server)
  return Promise.all([server.api.viewer.getViewer({}), server.discovery.getServer({})])
}
