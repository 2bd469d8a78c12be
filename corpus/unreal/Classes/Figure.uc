class Figure expands Pawn; // one of the corpus
#exec MESH IMPORT MESH=figure ANIVFILE=Models\figure_a.3d DATAFILE=Models\figure_d.3d X=0 Y=0 Z=0 MLOD=1
#exec MESH ORIGIN MESH=figure X=0 Y=0 Z=64 YAW=64
#exec MESH SEQUENCE MESH=figure SEQ=All STARTFRAME=0 NUMFRAMES=3 // the whole of it
#exec MESH SEQUENCE MESH=figure SEQ=Turn STARTFRAME=1 NUMFRAMES=2 RATE=7.5 GROUP=Waiting
//#exec MESH SEQUENCE MESH=figure SEQ=??? STARTFRAME=0 NUMFRAMES=30
#exec MESH NOTIFY MESH=figure SEQ=Turn TIME=0.5 FUNCTION=PlayTurn
#exec MESHMAP NEW MESHMAP=figure MESH=figure
#exec MESHMAP SCALE MESHMAP=figure X=0.1 Y=0.1 Z=0.2
#exec TEXTURE IMPORT NAME=Jfigure FILE="Textures\a figure.pcx" GROUP="Skins" FLAGS=2 LODNOTEX
#exec MESHMAP SETTEXTURE MESHMAP=figure NUM=1 TEXTURE=Jfigure
#exec AUDIO IMPORT FILE="Sounds\step.wav" NAME="Step" GROUP="Generic"

/*
#exec MESH IMPORT MESH=old ANIVFILE=Models\old_a.3d DATAFILE=Models\old_d.3d
*/
defaultproperties
{
    Mesh=figure
}
