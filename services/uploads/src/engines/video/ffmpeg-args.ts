import { decoders } from './decoders.ts'
import { probedEntries } from './read-probe.ts'
import type { Rendition } from './renditions.ts'

export const sourceFile = 'source'
export const posterFile = 'poster.jpg'
export const renditionFile = ({ quality }: Rendition): string => `${quality}.mp4`

const threads = '2'

/**
 * Reads only this file, in the detected format, with common decoders. Its content cannot make the program read other
 * files or use unmaintained decoders.
 */
const input = (demuxer: string, file: string): string[] => [
  ...['-max_alloc', String(512 * 1024 ** 2), '-max_pixels', '40000000'],
  ...['-protocol_whitelist', 'file', '-format_whitelist', demuxer, '-codec_whitelist', decoders.join(',')],
  ...['-f', demuxer, '-i', `file:${file}`],
]

export const probeArgs = (demuxer: string, file: string): string[] => [
  ...['-hide_banner', '-loglevel', 'error', '-of', 'json', '-show_entries', probedEntries],
  ...input(demuxer, file),
]

/** No output has subtitles, data streams, metadata or chapters. */
const outputArgs = ['-sn', '-dn', '-map_metadata', '-1', '-map_chapters', '-1', '-threads', threads]
/** Selects the first video stream, but not the cover of a music file. */
const firstVideo = ['-map', '0:V:0']
const scaleFilter = ({ width, height }: Rendition): string => `scale=${width}:${height},setsar=1`

const renditionArgs = (rendition: Rendition): string[] => [
  ...[...firstVideo, '-map', '0:a:0?', ...outputArgs, '-vf', `${scaleFilter(rendition)},format=yuv420p`],
  ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '23', '-c:a', 'aac', '-b:a', '128k', '-ac', '2'],
  ...['-max_muxing_queue_size', '1024', '-movflags', '+faststart', '-f', 'mp4', `file:${renditionFile(rendition)}`],
]

const posterArgs = (rendition: Rendition, atMs: number): string[] => [
  ...[...firstVideo, '-an', ...outputArgs, '-ss', String(atMs / 1000), '-frames:v', '1', '-vf', scaleFilter(rendition)],
  ...['-pix_fmt', 'yuvj420p', '-q:v', '3', '-f', 'image2', '-update', '1', `file:${posterFile}`],
]

export type Plan = { demuxer: string; renditions: readonly [Rendition, ...Rendition[]]; posterAtMs: number }

export const encodeArgs = ({ demuxer, renditions, posterAtMs }: Plan): string[] => [
  ...['-hide_banner', '-nostdin', '-nostats', '-loglevel', 'error', '-y', '-filter_threads', '1', '-threads', threads],
  ...input(demuxer, sourceFile),
  ...renditions.flatMap(renditionArgs),
  ...posterArgs(renditions[0], posterAtMs),
]
