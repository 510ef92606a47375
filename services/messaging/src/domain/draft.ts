import type { CreateMessageRequest } from '@parley/contracts/api'
import { attachedTwice, echoWithoutThread } from '../errors.ts'
import { checkBody } from './body.ts'

export type Draft = Pick<
  CreateMessageRequest,
  'roomId' | 'body' | 'inReplyTo' | 'threadRootEventId' | 'attachmentAssetIds' | 'linkPreviewToken'
> & { withEcho: boolean }

/** Throws `invalid_argument` if the request is inconsistent or its text invalid. */
export function draftMessage(request: CreateMessageRequest): Draft {
  const { roomId, inReplyTo, threadRootEventId, attachmentAssetIds, linkPreviewToken } = request
  const withEcho = request.alsoSendToChannel
  if (withEcho && !threadRootEventId && !inReplyTo) throw echoWithoutThread()
  const twice = attachmentAssetIds.find((id, index) => attachmentAssetIds.indexOf(id) !== index)
  if (twice !== undefined) throw attachedTwice(twice)
  const body = checkBody(request.body, attachmentAssetIds.length > 0)
  return { roomId, body, inReplyTo, threadRootEventId, attachmentAssetIds, linkPreviewToken, withEcho }
}

export const hasParts = (draft: Draft): boolean => draft.attachmentAssetIds.length > 0 || draft.linkPreviewToken !== ''

export const isReply = (draft: Draft): boolean => draft.inReplyTo !== '' || draft.threadRootEventId !== ''
