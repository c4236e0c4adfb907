/** A small run to begin with: two convolutions of plain memory, as PyTorch 2.13 printed them with oneDNN 3.12. */

const LINES = [
  'reorder,jit:blk,undef,src:f32::blocked:abcd::f0 dst:f32::blocked:aBcd16b::f0,,,2x32x12x12,0.105',
  'reorder,jit:uni,undef,src:f32::blocked:abcd::f0 dst:f32:p:blocked:ABcd16b16a::f0,,,8x32x1x1,0.006',
  'convolution,jit_1x1:avx512_core,forward_training,src:f32:a:blocked:aBcd16b::f0 wei:f32:ap:blocked:ABcd16b16a::f0 bia:f32:a:blocked:a::f0 dst:f32:ap:blocked:aBcd16b::f0,,alg:convolution_direct,mb2_ic32oc8_ih12oh12kh1sh1dh0ph0_iw12ow12kw1sw1dw0pw0,0.111',
  'reorder,jit:uni,undef,src:f32:p:blocked:aBcd16b::f0 dst:f32::blocked:abcd::f0,,,2x8x12x12,0.197',
  'reorder,jit:uni,undef,src:f32::blocked:abcd::f0 dst:f32:p:blocked:aBcd16b::f0,,,2x8x12x12,0.198',
  'reorder,jit:uni,undef,src:f32::blocked:abcd::f0 dst:f32:p:blocked:ABcd16b16a::f0,,,24x8x1x1,0.005',
  'convolution,jit_1x1:avx512_core,forward_training,src:f32:ap:blocked:aBcd16b::f0 wei:f32:ap:blocked:ABcd16b16a::f0 bia:f32:a:blocked:a::f0 dst:f32:ap:blocked:aBcd16b::f0,,alg:convolution_direct,mb2_ic8oc24_ih12oh12kh1sh1dh0ph0_iw12ow12kw1sw1dw0pw0,0.157',
  'reorder,jit:uni,undef,src:f32:p:blocked:aBcd16b::f0 dst:f32::blocked:abcd::f0,,,2x24x12x12,0.135',
];

export const EXAMPLE = ['onednn_verbose,v1,info,oneDNN v3.12.0', ...LINES.map((line) => `onednn_verbose,v1,primitive,exec,cpu,${line}`)].join('\n');
