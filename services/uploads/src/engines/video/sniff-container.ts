export const sniffedBytes = 512

/**
 * Only self-contained formats are accepted. Anything that refers to other files (playlists, lists of files, manifests,
 * subtitles) is refused, regardless of its name.
 */
export function sniffContainer(bytes: Buffer): string | undefined {
  const at = (offset: number, text: string) => bytes.toString('latin1', offset, offset + text.length) === text
  if (/^(ftyp|moov|mdat|wide|free|skip|pnot)$/.test(bytes.toString('latin1', 4, 8))) return 'mov'
  if (at(0, '\x1a\x45\xdf\xa3')) return 'matroska'
  if (at(0, 'GIF87a') || at(0, 'GIF89a')) return 'gif'
  if (at(0, 'RIFF') && at(8, 'AVI ')) return 'avi'
  if (at(0, 'OggS')) return 'ogg'
  if (at(0, 'FLV\x01')) return 'flv'
  if (at(0, '\x30\x26\xb2\x75\x8e\x66\xcf\x11')) return 'asf'
  if (at(0, '\x00\x00\x01\xba')) return 'mpeg'
  if (at(0, 'G') && at(188, 'G') && at(376, 'G')) return 'mpegts'
  return undefined
}
