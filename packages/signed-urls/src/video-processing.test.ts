import { create } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { MessageVideoProcessingStatus } from '@parley/contracts/api'
import { VideoStateSchema } from '@parley/contracts/internal'
import { toVideoProcessing, type UrlOf } from './video-processing.ts'

const expiresAt = new Date('2030-01-02T00:00:00Z')
const urlOf: UrlOf = (variant) => ({ url: `https://chat.example.org/${variant}`, expiresAt })
const show = (state: Parameters<typeof create<typeof VideoStateSchema>>[1]) =>
  toVideoProcessing(create(VideoStateSchema, state), urlOf)

test('a processed video has a poster and variants with URLs', () => {
  const best = { quality: '720p', width: 1280, height: 720, size: 9n }
  const shape = { durationMs: 2500n, width: 1920, height: 1080, hasPoster: true }
  expect(show({ status: 'completed', ...shape, variants: [best] })).toMatchObject({
    ...{ status: MessageVideoProcessingStatus.COMPLETED, durationMs: 2500n, width: 1920, height: 1080 },
    ...{ sourceAvailable: true, reasonCode: '' },
    thumbnailAssetUrl: { url: 'https://chat.example.org/poster', expiresAt: { seconds: 1893542400n } },
    variants: [{ ...best, assetUrl: { url: 'https://chat.example.org/720p' } }],
  })
})

test('a video that is being processed has no poster or variants, a failed one has a reason, and one whose original is missing has no source', () => {
  const processing = show({ status: 'processing' })
  expect(processing).toMatchObject({
    status: MessageVideoProcessingStatus.PROCESSING,
    sourceAvailable: true,
    variants: [],
  })
  expect(processing).not.toHaveProperty('thumbnailAssetUrl')
  expect(show({ status: 'failed', reasonCode: 'processing_failed' })).toMatchObject({
    ...{ status: MessageVideoProcessingStatus.FAILED, reasonCode: 'processing_failed', sourceAvailable: true },
  })
  expect(show({ status: 'failed', reasonCode: 'original_missing' })).toMatchObject({ sourceAvailable: false })
})
