// shaders of the block
models/players/block/red
{
	qer_editorimage models/players/block/red.tga
	surfaceparm nolightmap
	cull disable
	{
		map textures/effects/shine.tga
		tcGen environment
		tcMod scroll 0.1 0.2
		rgbGen lightingDiffuse
	}
	{
		map models/players/block/red.tga
		blendFunc GL_SRC_ALPHA GL_ONE_MINUS_SRC_ALPHA
		rgbGen lightingDiffuse
	}
}
models/players/block/leaf { deformVertexes wave 100 sin 0 1 0 0.5
{ clampMap models/leaf.tga alphaFunc GE128 depthWrite rgbGen const ( 1 0.5 0.25 ) } }
/* a brace
   is missing */
models/players/block/glow
{
	{
		animMap 10 a.tga "b c.tga"
		blendfunc add
		rgbGen wave sin 0.5 0.5 0 1
textures/common/nodraw
{
	surfaceparm nodraw
	q3map_surfacelight 100
}
