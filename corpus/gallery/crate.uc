class crate expands Actor;
#exec MESH IMPORT MESH=crate ANIVFILE=crate_a.3d DATAFILE=crate_d.3d X=0 Y=0 Z=0
#exec MESH ORIGIN MESH=crate X=-0.5 Y=-0.5 Z=0
#exec MESHMAP NEW MESHMAP=crate MESH=crate
#exec MESHMAP SCALE MESHMAP=crate X=16 Y=16 Z=16
#exec TEXTURE IMPORT NAME=crate0 FILE="crate.tga"
#exec MESHMAP SETTEXTURE MESHMAP=crate NUM=0 TEXTURE=crate0
