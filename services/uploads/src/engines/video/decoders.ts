export const decoders: readonly string[] = [
  ...['h264', 'hevc', 'vp8', 'vp9', 'libvpx', 'libvpx-vp9', 'av1', 'libdav1d', 'libaom-av1'],
  ...['mpeg1video', 'mpeg2video', 'mpeg4', 'msmpeg4', 'msmpeg4v2', 'h263', 'flv', 'theora', 'vp6', 'vp6f'],
  ...['mjpeg', 'gif', 'prores', 'dnxhd', 'wmv1', 'wmv2', 'wmv3', 'vc1'],
  ...['aac', 'aac_latm', 'mp3', 'mp3float', 'mp2', 'mp2float', 'opus', 'libopus', 'vorbis', 'libvorbis'],
  ...['flac', 'alac', 'ac3', 'eac3', 'amrnb', 'amrwb', 'libopencore_amrnb', 'libopencore_amrwb', 'speex', 'libspeex'],
  ...['wmav1', 'wmav2', 'wmapro', 'nellymoser', 'adpcm_swf', 'adpcm_ms', 'adpcm_ima_wav', 'adpcm_ima_qt'],
  ...['pcm_u8', 'pcm_s16le', 'pcm_s16be', 'pcm_s24le', 'pcm_s24be', 'pcm_s32le', 'pcm_f32le', 'pcm_mulaw', 'pcm_alaw'],
]
